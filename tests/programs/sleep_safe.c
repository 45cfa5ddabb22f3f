// Sleeping takes time by a clock that cannot be set.
// property: unreach   truth: safe
// explore: unknown (inputs)   impact: unknown (imprecise)   priori: unknown (unmodelled)   staged: safe
#include <assert.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    struct timespec before, between, after, pause = {1, 500000000};
    clock_gettime(CLOCK_MONOTONIC, &before);
    sleep(5);
    clock_gettime(CLOCK_MONOTONIC, &between);
    assert(between.tv_sec >= before.tv_sec + 5);
    nanosleep(&pause, 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(after.tv_sec > between.tv_sec);
}
