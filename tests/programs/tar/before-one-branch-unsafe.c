// What is stored on one branch before the thread is started is seen by it.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

int x;

void *worker(void *arg) {
    assert(x == 0);
    return arg;
}

int main(void) {
    pthread_t thread;
    if (__VERIFIER_nondet_int()) x = 5;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    return 0;
}
