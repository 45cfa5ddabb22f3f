// A wait that is measured by the time of day may time out at any moment of the monotonic clock, since the time of day may be set.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *hold(void *arg) {
    pthread_mutex_lock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t;
    struct timespec deadline = {5, 0}, now;
    pthread_create(&t, NULL, hold, NULL);
    pthread_join(t, NULL);
    if (pthread_mutex_timedlock(&lock, &deadline) == ETIMEDOUT) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        assert(now.tv_sec >= 5);
    }
    return 0;
}
