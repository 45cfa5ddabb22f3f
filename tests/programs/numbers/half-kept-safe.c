// A floating-point number of 16 bits takes two bytes, and is kept although it is not computed with.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <string.h>

_Float16 from[2], to[2];

int main(void) {
    unsigned short bits = 0x3c00;
    memcpy(&from[1], &bits, 2);
    to[1] = from[1];
    to[0] = from[0];
    memcpy(&bits, &to[1], 2);
    assert(bits == 0x3c00);
    assert(sizeof to == 4);
    return 0;
}
