// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race   truth: safe   libc: glibc
// explore: unknown (inputs)   impact: safe   priori: safe   staged: safe
// property: unreach   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (imprecise)   staged: safe
// rand keeps its state between calls and need not be thread-safe; glibc's is.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *roll(void *unused) {
    assert(rand() >= 0);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, roll, 0);
    pthread_create(&b, 0, roll, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
