// property: race   truth: unsafe
// property: race   truth: safe   libc: glibc
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
