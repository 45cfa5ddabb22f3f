// property: locks   truth: safe
// explore: safe   impact: safe   staged: safe
//
// Two threads read, one of them twice, and each unlocks as often as it locked.
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *worker(void *arg) {
    pthread_rwlock_rdlock(&lock);
    if (pthread_rwlock_tryrdlock(&lock) == 0) pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
