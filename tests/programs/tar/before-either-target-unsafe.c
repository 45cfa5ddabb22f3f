// A store through a pointer to one of two variables, before the thread is started.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

int x, y;

void *worker(void *arg) {
    assert(x == 0);
    return arg;
}

int main(void) {
    pthread_t thread;
    int *p = __VERIFIER_nondet_int() ? &x : &y;
    *p = 5;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    return 0;
}
