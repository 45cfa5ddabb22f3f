// property: deadlock   truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   staged: unknown (unmodelled)
// A static initialiser that prefers writers is not modelled.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

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
