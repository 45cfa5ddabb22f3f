// The same pointer, but only functions of its type are called through it; what nobody uses of a result need not fit.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int count;

long one(long a) { return a; }
int two(int a) { return a; }
int three(int a) { return count += a; }

int main(void) {
    void *table[3] = {(void *)one, (void *)two, (void *)three};
    int (*f)(int) = (int (*)(int))table[__VERIFIER_nondet_int() ? 1 : 2];
    assert(f(-1) == -1);
    ((void (*)(int))table[2])(1);
    return 0;
}
