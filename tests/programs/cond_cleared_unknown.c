// A condition variable is cleared while a thread may wait for it.
// property: unreach    truth: safe
// explore: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (bound)
// tar: unknown
#include <assert.h>
#include <pthread.h>
#include <string.h>

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
    memset(&filled, 0, sizeof filled);
    pthread_mutex_lock(&lock);
    count = 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    assert(count == 1);
    return 0;
}
