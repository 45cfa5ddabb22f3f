// The same, asserted wrongly.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>

int main(void) {
    int one, two;
    __asm__("" : "=r"(one), "=r"(two) : "1"(2), "0"(1));
    assert(one == 2);
    return 0;
}
