// property: atomicity   truth: unsafe
// explore: unsafe   staged: unsafe
// property: atomicity   truth: safe   args: -DOWN
// explore: safe   staged: safe
//
// Two threads add to elements of one array, of which each may have its own.
#include <pthread.h>
#include <stddef.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int slots[2];

void *work(void *arg) {
    int index = *(int *)arg;
    slots[index] += 1;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int first = __VERIFIER_nondet_uchar() % 2;
#ifdef OWN
    int second = 1 - first;
#else
    int second = __VERIFIER_nondet_uchar() % 2;
#endif
    pthread_create(&a, NULL, work, &first);
    pthread_create(&b, NULL, work, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
