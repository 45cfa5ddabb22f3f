// Atomic increments by any number of threads.
// property: race   truth: safe
// explore: unknown (time)   impact: unknown (time)   priori: unknown (bound)   staged: unknown (bound)
// tar: safe
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
_Atomic int count;

void *worker(void *arg) {
    count++;
    return arg;
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        pthread_t thread;
        pthread_create(&thread, NULL, worker, NULL);
    }
    return count;
}
