// A call through a null pointer is undefined, so that the assertion after it may be reached: nothing is claimed.
// property: unreach   truth: unsafe
// explore: unknown (undefined)   impact: unknown (undefined)   priori: unknown (undefined)   staged: unknown (undefined)
#include <assert.h>

int main(void) {
    void (*f)(void) = 0;
    f();
    assert(0);
}
