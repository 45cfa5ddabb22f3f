// Any number of threads count under one mutex.
// property: race   truth: safe
// explore: unknown (time)   impact: unknown (time)   priori: unknown (bound)   staged: unknown (bound)
// tar: safe
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int count;

void *worker(void *arg) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        pthread_t thread;
        pthread_create(&thread, NULL, worker, NULL);
    }
    return 0;
}
