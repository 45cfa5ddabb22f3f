// A locked operation that changes something is more than a fence.
// property: unreach   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>

int x;

int main(void) {
    __asm__ volatile("lock addl $1, %0" : "+m"(x));
    assert(x == 1);
    return 0;
}
