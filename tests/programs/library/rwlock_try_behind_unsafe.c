// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   truth: safe   libc: glibc
// explore: safe   impact: safe   priori: safe   staged: safe
// pthread_rwlock_tryrdlock fails where pthread_rwlock_rdlock would wait, which may be for a writer that waits.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *write_one(void *unused) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&a, 0, write_one, 0);
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    return 0;
}
