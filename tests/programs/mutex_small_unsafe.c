// The size of a pointer is taken for that of a mutex.
// property: memory    truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void enter(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); }

int main(void) {
    pthread_mutex_t *mutex = calloc(1, sizeof mutex);
    enter(mutex);
    pthread_mutex_unlock(mutex);
    assert(mutex != NULL);
    return 0;
}
