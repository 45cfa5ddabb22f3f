// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A lock that was taken by trying is taken again, if trying succeeded.
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int is_busy = pthread_mutex_trylock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return is_busy;
}
