// The static initialiser of a recursive mutex.
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

pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

int main(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}
