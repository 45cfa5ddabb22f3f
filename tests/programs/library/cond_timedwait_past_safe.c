// A wait whose deadline has passed at the time of the call returns ETIMEDOUT if no signal comes (POSIX pthread_cond_timedwait).
// property: unreach   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (unmodelled)   staged: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t by_day = PTHREAD_COND_INITIALIZER;
pthread_cond_t steady;

int main(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&steady, &attributes);

    pthread_mutex_lock(&mutex);
    struct timespec begin = { 0, 0 };
    assert(pthread_cond_timedwait(&by_day, &mutex, &begin) == ETIMEDOUT);
    assert(pthread_cond_timedwait(&steady, &mutex, &begin) == ETIMEDOUT);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert(pthread_cond_timedwait(&steady, &mutex, &now) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    return 0;
}
