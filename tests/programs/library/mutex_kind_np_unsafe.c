// The old name of pthread_mutexattr_settype makes normal mutexes too.
// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#define _GNU_SOURCE
#include <pthread.h>

extern int pthread_mutexattr_setkind_np(pthread_mutexattr_t *, int);

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setkind_np(&attributes, PTHREAD_MUTEX_NORMAL);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}
