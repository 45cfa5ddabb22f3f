// The same lock, given back one statement too early.
// property: unreach   truth: unsafe
// tar: unknown
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
int taken, value = 1;

void __VERIFIER_atomic_take(void) {
    __VERIFIER_assume(taken == 0);
    taken = 1;
}

void *work(void *arg) {
    __VERIFIER_atomic_take();
    value = 0;
    value = 1;
    taken = 0;
    assert(value == 1);
    return arg;
}

int main(void) {
    for (;;) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
    }
}
