// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race   truth: unsafe   libc: glibc
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// POSIX lists the functions that draw and not srand48; glibc's manual says race:drand48 of it too.
#include <pthread.h>
#include <stdlib.h>

static void *seed(void *unused) {
    srand48(1);
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, seed, 0);
    srand48(2);
    pthread_join(a, 0);
    return 0;
}
