// A clock that is monotonic does not go backwards.
// property: unreach   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (imprecise)   staged: safe
#include <assert.h>
#include <time.h>

int main(void) {
    struct timespec one, two;
    clock_gettime(CLOCK_MONOTONIC, &one);
    clock_gettime(CLOCK_MONOTONIC, &two);
    assert(two.tv_sec >= one.tv_sec);
    return 0;
}
