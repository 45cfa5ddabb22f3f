// A lock with a deadline ends in the mutex or in ETIMEDOUT, even if the owner waits for the thread.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    struct timespec deadline = {100, 0};
    int result = pthread_mutex_timedlock(&mutex, &deadline);
    assert(result == ETIMEDOUT);
    return arg;
}

int main(void) {
    pthread_t thread;
    struct timespec wrong = {0, 1000000000};
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    assert(pthread_mutex_timedlock(&mutex, &wrong) == EINVAL);
    pthread_mutex_unlock(&mutex);
    assert(pthread_mutex_timedlock(&mutex, &wrong) == 0);
    pthread_mutex_unlock(&mutex);
    return 0;
}
