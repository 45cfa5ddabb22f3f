// A function is called through a pointer of another type (C11 6.5.2.2p9): undefined, so no proof.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

long one(long a) { return a; }
int two(int a) { return a; }

int main(void) {
    int (*f)(int) = __VERIFIER_nondet_int() ? (int (*)(int))one : two;
    assert(f(-1) == -1);
    return 0;
}
