// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race   truth: unsafe   libc: glibc
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// The functions that draw share what they keep, here and in glibc.
#include <pthread.h>
#include <stdlib.h>

static void *draw(void *unused) {
    (void)lrand48();
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, draw, 0);
    (void)mrand48();
    pthread_join(a, 0);
    return 0;
}
