// property: locks   truth: safe
// explore: safe   impact: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
//
// A recursive mutex may be locked twice.
#define _GNU_SOURCE
#include <pthread.h>

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t m;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
    return 0;
}
