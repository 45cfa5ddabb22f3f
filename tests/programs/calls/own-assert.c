// A program's own function called `__assert`, which ends the process: that is no failed assertion.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

void __assert(int condition) {
    if (!condition)
        abort();
}

int main(void) {
    __assert(__VERIFIER_nondet_int() == 1);
    return 0;
}
