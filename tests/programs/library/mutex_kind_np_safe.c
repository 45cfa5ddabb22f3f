// The old name of pthread_mutexattr_settype makes recursive mutexes too.
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: locks   truth: safe
// explore: safe   impact: safe   staged: safe
#define _GNU_SOURCE
#include <pthread.h>

extern int pthread_mutexattr_setkind_np(pthread_mutexattr_t *, int);

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setkind_np(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}
