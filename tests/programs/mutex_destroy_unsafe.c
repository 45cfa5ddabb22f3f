// A mutex is destroyed while the other thread may hold it.
// property: locks      truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <pthread.h>

pthread_mutex_t mutex;

void *worker(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_init(&mutex, 0);
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_destroy(&mutex);
    pthread_join(thread, 0);
    return 0;
}
