// Between two atomic regions another thread writes.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

int shared;
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

void *writer(void *arg) {
    __VERIFIER_atomic_begin();
    shared = 1;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    shared = 2;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    __VERIFIER_atomic_begin();
    int before = shared;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    int after = shared;
    __VERIFIER_atomic_end();
    assert(before == after || before != 1 || after != 2);
    return 0;
}
