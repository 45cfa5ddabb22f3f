// The mutex is destroyed before threads are joined.
// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// tar: unknown
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
    pthread_mutex_destroy(&lock);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
