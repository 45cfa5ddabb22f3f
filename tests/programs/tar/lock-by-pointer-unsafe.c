// Threads lock what they are given, which is not the same mutex.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
int count;

void *worker(void *arg) {
    pthread_mutex_t *lock = arg;
    pthread_mutex_lock(lock);
    count++;
    pthread_mutex_unlock(lock);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, worker, &first);
    pthread_create(&two, NULL, worker, &second);
    return 0;
}
