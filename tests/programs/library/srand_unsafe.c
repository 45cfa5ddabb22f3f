// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race   truth: safe   libc: glibc
// explore: unknown (inputs)   impact: safe   priori: unknown (imprecise)   staged: safe
// srand and rand share what they keep.
#include <pthread.h>
#include <stdlib.h>

static void *roll(void *unused) {
    (void)rand();
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, roll, 0);
    srand(2);
    pthread_join(a, 0);
    return 0;
}
