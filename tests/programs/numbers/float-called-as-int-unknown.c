// A function of float is called as one of int, which are passed in different registers.
// property: unreach   truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>

static float one(int x) { return x ? 1.0f : 0.0f; }

int main(void) {
    int (*f)(int) = (int (*)(int))one;
    assert(f(3) == 0x3f800000);
    return 0;
}
