// A reader that wants to write waits for itself to stop reading.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}
