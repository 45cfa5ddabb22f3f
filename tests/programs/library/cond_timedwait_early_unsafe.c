// A wait whose deadline has not passed at the time of the call may wake for no reason.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t steady;

int main(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&steady, &attributes);

    pthread_mutex_lock(&mutex);
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    assert(pthread_cond_timedwait(&steady, &mutex, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    return 0;
}
