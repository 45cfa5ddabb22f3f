// Two threads write parts of one array at indices that differ, whatever they are.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

int cells[4];
unsigned i, j;

void *first(void *arg) {
    unsigned at = i;
    cells[at] = 1;
    cells[at] = 2;
    return 0;
}

void *second(void *arg) {
    unsigned at = j;
    cells[at] = 3;
    cells[at] = 4;
    return 0;
}

int main(void) {
    pthread_t a, b;
    i = __VERIFIER_nondet_uchar() & 3;
    j = __VERIFIER_nondet_uchar() & 3;
    __VERIFIER_assume(i != j);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(cells[i] == 2 && cells[j] == 4);
    return 0;
}
