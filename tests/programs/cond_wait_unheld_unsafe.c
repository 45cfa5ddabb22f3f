// Waiting with a mutex that is not held.
// property: locks      truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int main(void) {
    pthread_cond_wait(&changed, &mutex);
    return 0;
}
