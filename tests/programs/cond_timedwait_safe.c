// A wait with a deadline ends, by time-out or for no reason, with the mutex held.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int main(void) {
    struct timespec deadline = {7, 0}, wrong = {7, -1};
    pthread_mutex_lock(&mutex);
    assert(pthread_cond_timedwait(&changed, &mutex, &wrong) == EINVAL);
    int result = pthread_cond_timedwait(&changed, &mutex, &deadline);
    assert(result == 0 || result == ETIMEDOUT);
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    pthread_mutex_unlock(&mutex);
    return 0;
}
