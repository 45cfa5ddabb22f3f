// What a division by zero does is undefined: a compiler may leave it out, and then the assertion fails.
// property: unreach   truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>

int zero = 0;

int main(void) {
    int quotient = 1 / zero;
    assert(0);
    return quotient;
}
