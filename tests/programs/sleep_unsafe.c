// It may take longer, and the time of day may be set meanwhile.
// property: unreach   truth: unsafe
// explore: unknown (inputs)   impact: unsafe   priori: unknown (imprecise)   staged: unsafe
#include <assert.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    sleep(5);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(after.tv_sec <= before.tv_sec + 6);
}
