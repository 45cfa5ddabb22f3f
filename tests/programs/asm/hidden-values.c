// What comes out is what was put in, in the order of the outputs.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>

int main(void) {
    int one, two;
    long wide;
    __asm__("" : "=r"(one), "=r"(two) : "1"(2), "0"(1));
    __asm__("" : "=r"(wide) : "0"(5L));
    assert(one == 1 && two == 2 && wide == 5);
    return 0;
}
