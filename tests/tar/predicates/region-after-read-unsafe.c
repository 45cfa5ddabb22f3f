// Between a read and the atomic region after it others move.
// property: unreach   truth: unsafe
// tar: unknown
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x;

void *increment(void *arg) {
    int seen = x;
    __VERIFIER_atomic_begin();
    x = seen + 1;
    __VERIFIER_atomic_end();
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, increment, NULL);
    pthread_create(&second, NULL, increment, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(x == 2);
    return 0;
}
