// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// property: deadlock   truth: safe   libc: glibc
// explore: safe   impact: safe   staged: safe
// A reader may have to wait for a writer that waits (POSIX pthread_rwlock_rdlock); in glibc it need not.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *write_one(void *unused) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, write_one, 0);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(a, 0);
    return 0;
}
