// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// Two threads wait for one condition variable, each with its own mutex.
#include <pthread.h>

static pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *wait_with(void *own) {
    pthread_mutex_lock(own);
    pthread_cond_wait(&condition, own);
    pthread_mutex_unlock(own);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, wait_with, &mutex[0]);
    pthread_create(&b, 0, wait_with, &mutex[1]);
    return 0;
}
