// A thread that holds the mutex tries to take it and does not get it; it releases it once too often, or not at all.
// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *run(void *arg) {
    pthread_mutex_lock(&lock);
    if (pthread_mutex_trylock(&lock) != 0) pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
    return 0;
}
