// A condition variable is destroyed while a thread may wait: who waits matters, and waiting is not left out.
// property: race   truth: safe
// explore: unknown (undefined)   impact: unknown (undefined)   priori: unknown (undefined)   staged: unknown (bound)
// tar: unknown
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int count;

void *take(void *arg) {
    pthread_mutex_lock(&lock);
    while (count == 0) pthread_cond_wait(&filled, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, take, 0);
    pthread_cond_destroy(&filled);
    return 0;
}
