// The function that the thread calls is set on one branch.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

int __VERIFIER_nondet_int(void);

int x;

void nothing(void) {}

void count(void) { x++; }

void (*action)(void) = nothing;

void *worker(void *arg) {
    action();
    return arg;
}

int main(void) {
    pthread_t thread;
    if (__VERIFIER_nondet_int()) action = count;
    pthread_create(&thread, NULL, worker, NULL);
    x = 1;
    pthread_join(thread, NULL);
    return 0;
}
