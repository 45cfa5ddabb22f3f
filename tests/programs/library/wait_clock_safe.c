// A wait that is measured by the monotonic clock does not time out before its deadline.
// property: unreach   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (imprecise)   staged: safe
#define _GNU_SOURCE
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
    if (pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        assert(now.tv_sec >= 5);
    }
    return 0;
}
