// A thread may come to a mutex that was destroyed.
// property: locks    truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <pthread.h>

pthread_mutex_t lock;

void *work(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_init(&lock, 0);
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_mutex_destroy(&lock);
    pthread_join(thread, 0);
    return 0;
}
