// So is one that is not on the stack, as far as anyone knows.
// property: unreach   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>

int x = 1;

int main(void) {
    __asm__ volatile("lock orl $0, %0" : "+m"(x));
    assert(x == 1);
    return 0;
}
