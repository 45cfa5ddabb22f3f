// Two clocks have nothing to do with each other.
// property: unreach   truth: unsafe
// explore: unknown (inputs)   impact: unsafe   priori: unknown (imprecise)   staged: unsafe
#include <assert.h>
#include <time.h>

int main(void) {
    struct timespec used, now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert(now.tv_sec >= used.tv_sec);
    return 0;
}
