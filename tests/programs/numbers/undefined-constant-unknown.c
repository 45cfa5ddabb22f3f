// What the compiler finds to be undefined is no value.
// property: unreach   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>

int main(void) {
    int n = 1 << 40;
    assert(n != 5);
    int m = (int)1e20;
    assert(m != 5);
    return 0;
}
