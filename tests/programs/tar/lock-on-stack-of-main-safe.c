// Two threads share a mutex on the stack of main.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// tar: safe
#include <pthread.h>

int count;

void *worker(void *mutex) {
    pthread_mutex_lock(mutex);
    count++;
    pthread_mutex_unlock(mutex);
    return NULL;
}

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_t one, two;
    pthread_create(&one, NULL, worker, &mutex);
    pthread_create(&two, NULL, worker, &mutex);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
