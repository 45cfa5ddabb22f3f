// clock_nanosleep sleeps for a duration, or with TIMER_ABSTIME until a moment.
// property: unreach   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (unmodelled)   staged: safe
#include <assert.h>
#include <time.h>

int main(void) {
    struct timespec before, after, pause = {2, 0};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, 0);
    clock_gettime(CLOCK_MONOTONIC, &before);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(after.tv_sec >= before.tv_sec + 2);
    return 0;
}
