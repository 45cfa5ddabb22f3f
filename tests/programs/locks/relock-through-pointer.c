// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// The thread takes a lock through a shared pointer and then by name: the same lock.
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t *chosen;
int x;

void *again(void *arg) {
    pthread_mutex_lock(chosen);
    pthread_mutex_lock(&mutex);
    x = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    chosen = &mutex;
    pthread_create(&thread, 0, again, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
