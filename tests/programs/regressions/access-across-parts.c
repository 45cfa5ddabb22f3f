// An array whose parts are not told apart holds 1 everywhere; what lies across two of them is something else.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unknown (time)   priori: unsafe
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
struct unaligned {
    int value;
} __attribute__((packed));
int a[64];

int main(void) {
    for (int i = 0; i < 64; i++) a[i] = 1;
    unsigned char at = __VERIFIER_nondet_uchar();
    if (at >= 100) return 0;
    int r = ((struct unaligned *)((char *)a + at))->value;
    assert(r == 0 || r == 1);
}
