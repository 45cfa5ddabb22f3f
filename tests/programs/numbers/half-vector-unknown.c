// Arithmetic on vectors of 16-bit floating-point numbers is not modelled.
// property: unreach   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <string.h>

typedef _Float16 four __attribute__((vector_size(8)));
four one, two;

int main(void) {
    unsigned short ones[4] = {0x3c00, 0x3c00, 0x3c00, 0x3c00};
    memcpy(&one, ones, 8);
    two = one + one;
    memcpy(ones, &two, 8);
    assert(ones[0] != 0x3c00);
    return 0;
}
