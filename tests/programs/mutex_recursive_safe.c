// A recursive mutex is free only after as many unlocks as locks.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach    truth: safe   data-model: ilp32
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t mutex;
int held;

void *other(void *arg) {
    int result = pthread_mutex_trylock(&mutex);
    assert(result == 0 || result == EBUSY);
    if (result == 0) {
        assert(held == 0);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, 0, other, 0);
    pthread_mutex_lock(&mutex);
    held = 1;
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_trylock(&mutex) == 0);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    held = 0;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return pthread_mutex_destroy(&mutex);
}
