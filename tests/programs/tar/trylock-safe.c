// Who gets the mutex by trying holds it; it is not held when it is destroyed.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// tar: safe
#include <pthread.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec soon = {1, 0};
int count;

void *run(void *arg) {
    if (pthread_mutex_trylock(&lock) == 0) {
        count++;
        pthread_mutex_unlock(&lock);
    }
    if (!pthread_mutex_timedlock(&lock, &soon)) {
        count++;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, run, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    pthread_mutex_destroy(&lock);
    return 0;
}
