// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// An input is compared and then used for its value: the values that stand for all in the comparison do not here.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = 0;
    if (x > 5)
        y = x;
    assert(y != 100);
    return 0;
}
