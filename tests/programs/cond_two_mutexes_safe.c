// property: locks   truth: safe
// explore: safe   impact: safe   staged: unknown (addresses)
// The condition variable has one mutex after the other, never two at a time.
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
    pthread_cond_signal(&condition);
    pthread_join(a, 0);
    pthread_create(&b, 0, wait_with, &mutex[1]);
    pthread_cond_signal(&condition);
    pthread_join(b, 0);
    return 0;
}
