// A lock that another thread holds for writing is unlocked.
// property: locks      truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *worker(void *arg) {
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_rwlock_wrlock(&lock);
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    pthread_rwlock_unlock(&lock);
    return 0;
}
