// property: locks   truth: safe
// explore: safe   impact: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// A thread that reads four times at once.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
    for (int i = 0; i < 4; i++) pthread_rwlock_rdlock(&lock);
    for (int i = 0; i < 4; i++) pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}
