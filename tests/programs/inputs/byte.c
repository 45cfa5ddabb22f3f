// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
//
// Inputs of eight bits are tried with all values.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    unsigned char c = __VERIFIER_nondet_uchar();
    assert((unsigned char)(c + 1) != c);
    return 0;
}
