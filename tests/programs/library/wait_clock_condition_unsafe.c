// A condition variable whose clock is the time of day, which may be set.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed;

int main(void) {
    pthread_condattr_t attributes;
    struct timespec deadline = {5, 0}, now;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_REALTIME);
    pthread_cond_init(&changed, &attributes);
    pthread_mutex_lock(&lock);
    if (pthread_cond_timedwait(&changed, &lock, &deadline) == ETIMEDOUT) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        assert(now.tv_sec >= 5);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}
