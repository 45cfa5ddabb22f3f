// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// Where no writer waits, a reader gets in beside another one.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *read_one(void *unused) {
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_create(&a, 0, read_one, 0);
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    return 0;
}
