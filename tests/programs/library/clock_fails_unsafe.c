// The processor time may not be available.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <time.h>

int main(void) {
    assert(clock() != (clock_t)-1);
    return 0;
}
