// A function that must not return does, and __builtin_unreachable is reached: both are undefined, and natively the run goes on.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>

int __VERIFIER_nondet_int(void);
int g;

_Noreturn void leave(void) { g = 1; }

int main(void) {
    if (__VERIFIER_nondet_int()) leave();
    if (__VERIFIER_nondet_int()) __builtin_unreachable();
    assert(g == 0);
}
