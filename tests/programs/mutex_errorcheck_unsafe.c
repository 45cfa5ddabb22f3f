// Unlocking an error-checking mutex that another thread holds gives EPERM, and is a misuse of a lock all the same.
// property: locks      truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t mutex;

void *other(void *arg) {
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    return 0;
}
