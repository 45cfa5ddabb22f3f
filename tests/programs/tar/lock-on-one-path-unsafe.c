// The lock is taken on one of two paths.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int count;

void *worker(void *arg) {
    int locked = __VERIFIER_nondet_int() == 1;
    if (locked) pthread_mutex_lock(&mutex);
    count++;
    if (locked) pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    return 0;
}
