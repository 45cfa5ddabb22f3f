// The resolution of a clock does not change.
// property: unreach   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (imprecise)   staged: safe
#include <assert.h>
#include <time.h>

int main(void) {
    struct timespec one, two;
    clock_getres(CLOCK_MONOTONIC, &one);
    clock_getres(CLOCK_MONOTONIC, &two);
    assert(one.tv_nsec == two.tv_nsec && one.tv_nsec > 0);
    return 0;
}
