// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe

/* The write in the atomic region races, although the thread never leaves the region. */
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void abort(void);

int x;

void *in_region(void *unused) {
    __VERIFIER_atomic_begin();
    x = 1;
    abort();
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, in_region, 0);
    x = 2;
    return 0;
}
