// It may be woken, too.
// property: unreach    truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static struct timespec soon;
static int x;
int pthread_cond_clockwait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);

static void *wait_with(void *own) {
    pthread_mutex_lock(own);
    x = 1;
    int result = pthread_cond_timedwait(&condition, own, &soon);
    x = 2;
    assert(result == ETIMEDOUT);
    pthread_mutex_unlock(own);
    return 0;
}

int main(void) {
    pthread_t a;
    int which = x;
    pthread_create(&a, 0, wait_with, &mutex[which]);
    pthread_mutex_lock(&mutex[0]);
    x = 3;
    pthread_mutex_unlock(&mutex[0]);
    pthread_cond_signal(&condition);
    pthread_join(a, 0);
    return 0;
}
