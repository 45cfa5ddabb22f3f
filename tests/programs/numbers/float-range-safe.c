// Floating-point numbers at both ends of what integer types have.
// property: unreach    truth: safe
// explore: safe   priori: safe   staged: safe
#include <assert.h>

double least = -2147483648.9, greatest = 2147483647.9, below_zero = -0.9, large = 4294967295.5;
float least_float = -2147483648.0f, greatest_float = 2147483520.0f;

int main(void) {
    assert((int)least == -2147483647 - 1);
    assert((int)greatest == 2147483647);
    assert((unsigned)below_zero == 0);
    assert((unsigned)large == 4294967295u);
    assert((int)least_float == -2147483647 - 1);
    assert((int)greatest_float == 2147483520);
    assert((unsigned char)255.9 == 255);
    assert((unsigned char)below_zero == 0);
}
