// Threads that a loop has started are joined by another one; then nobody holds the mutex, or takes it again.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// tar: safe
// property: locks   truth: safe
// explore: safe   impact: safe   staged: safe
// tar: safe
#include <pthread.h>

pthread_mutex_t lock;
int count;

void *run(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_mutex_init(&lock, 0);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, run, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_destroy(&lock);
    return 0;
}
