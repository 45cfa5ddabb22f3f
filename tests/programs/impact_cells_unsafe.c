// Two threads write parts of one array, which are apart on one way through the first thread and the same on the other. Both
// ways come to the same place: what is known of the first must not be believed of the second.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int cells[2];
int z;

void *first(void *arg) {
    unsigned at = __VERIFIER_nondet_uchar() & 1;
    if (at == 1)
        z = 1;
    else
        z = 2;
    cells[at] = 1;
    return 0;
}

void *second(void *arg) {
    cells[1] = 2;
    assert(cells[1] == 2);
    assert(z <= 2);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
