// property: race   truth: unsafe
// property: race   truth: safe   libc: glibc
// property: unreach   truth: safe
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
