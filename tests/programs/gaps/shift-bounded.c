// A shift by fewer bits than the type has is defined.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned bits = __VERIFIER_nondet_uchar() % 32;
    unsigned one = 1;
    unsigned shifted = one << bits;
    assert(shifted >> bits == 1);
    return 0;
}
