// A moment that has passed is waited for no longer.
// property: unreach   truth: unsafe
// explore: unknown (inputs)   impact: unsafe   priori: unknown (unmodelled)   staged: unsafe
#include <assert.h>
#include <time.h>

int main(void) {
    struct timespec before, after, until = {2, 0};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &until, 0);
    clock_gettime(CLOCK_MONOTONIC, &before);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(after.tv_sec >= before.tv_sec + 2);
    return 0;
}
