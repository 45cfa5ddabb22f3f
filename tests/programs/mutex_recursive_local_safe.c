// The initialiser of a recursive mutex, for a local variable and for a part of a static one.
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
// property: deadlock   truth: safe   data-model: ilp32
// explore: safe   impact: safe   staged: safe
// property: locks      truth: safe   data-model: ilp32
// explore: safe   impact: safe   staged: safe
#define _GNU_SOURCE
#include <pthread.h>

static struct {
    int number;
    pthread_mutex_t mutex;
} shared = {1, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

static void lock_twice(pthread_mutex_t *mutex) {
    pthread_mutex_lock(mutex);
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    pthread_mutex_unlock(mutex);
}

int main(void) {
    pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    lock_twice(&mutex);
    lock_twice(&shared.mutex);
    return 0;
}
