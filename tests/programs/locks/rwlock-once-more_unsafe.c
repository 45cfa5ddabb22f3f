// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A thread that read twice unlocks three times, while another one reads.
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *worker(void *arg) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    pthread_rwlock_unlock(&lock);
    return 0;
}
