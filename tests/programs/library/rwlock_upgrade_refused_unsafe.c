// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   truth: safe   libc: glibc
// explore: safe   impact: safe   priori: safe   staged: safe
// POSIX lets pthread_rwlock_wrlock give EDEADLK to a thread that reads; in glibc it waits.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
    pthread_rwlock_rdlock(&lock);
    int error = pthread_rwlock_wrlock(&lock);
    assert(error == 0);
    return 0;
}
