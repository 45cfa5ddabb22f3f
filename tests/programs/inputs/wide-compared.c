// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
//
// An input that is only compared: a value for each outcome of the comparisons stands for all.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n > 2);
    assert(n != 2);
    return 0;
}
