// The number of the process is not known.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <unistd.h>

int main(void) {
    assert(getpid() == 1000);
    return 0;
}
