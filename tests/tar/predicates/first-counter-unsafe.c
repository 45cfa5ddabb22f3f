// The first two of any number of threads that count do the work.
// property: unreach   truth: unsafe
// tar: unknown
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
unsigned arrived;
int value;

unsigned __VERIFIER_atomic_arrive(void) {
    __VERIFIER_assume(arrived != 4294967295u);
    return arrived++;
}

void *work(void *arg) {
    if (__VERIFIER_atomic_arrive() <= 1) {
        value = 1;
        assert(value == 1);
        value = 2;
        assert(value == 2);
    }
    return arg;
}

int main(void) {
    for (;;) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
    }
}
