// How fine a clock is depends on the system.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <time.h>

int main(void) {
    struct timespec resolution;
    clock_getres(CLOCK_MONOTONIC, &resolution);
    assert(resolution.tv_nsec == 1);
    return 0;
}
