// The integral part of a floating-point number has to fit the integer type (C11 6.3.1.4p1); compilers differ.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>

double d = 1e20;

int main(void) {
    int k = d;
    assert(k != -2147483647 - 1);
}
