// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// property: deadlock   truth: safe   libc: glibc
// explore: safe   impact: safe   staged: safe
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// Who holds a read-write lock for writing and asks for it again is given EDEADLK or waits for ever (POSIX pthread_rwlock_wrlock); in glibc EDEADLK.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
    pthread_rwlock_wrlock(&lock);
    assert(pthread_rwlock_rdlock(&lock) == EDEADLK);
    assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
    pthread_rwlock_unlock(&lock);
    return 0;
}
