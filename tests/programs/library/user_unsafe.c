// Nor is the user.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <unistd.h>

int main(void) {
    if (getuid() != 0) assert(0);
    return 0;
}
