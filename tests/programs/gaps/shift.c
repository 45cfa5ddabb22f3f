// A shift by as many bits as the type has, or more, is undefined: nothing is claimed about the program.
// property: unreach   truth: safe
// explore: unknown (undefined)   impact: unknown (undefined)   priori: unknown (undefined)   staged: unknown (undefined)
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned bits = __VERIFIER_nondet_uchar();
    unsigned one = 1;
    unsigned shifted = one << bits;
    assert(bits > 31 || shifted != 0);
    return 0;
}
