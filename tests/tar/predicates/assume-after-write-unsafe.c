// What is written before an assumption fails others have seen.
// property: unreach   truth: unsafe
// tar: unknown
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern void __VERIFIER_assume(int);
atomic_int x;

void *writer(void *arg) {
    x = 1;
    __VERIFIER_assume(0);
    return NULL;
}

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, writer, NULL);
    assert(x == 0);
    return 0;
}
