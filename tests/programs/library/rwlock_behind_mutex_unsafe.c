// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// property: deadlock   truth: safe   libc: glibc
// explore: safe   impact: safe   staged: safe
// One reader waits for a mutex whose owner waits to read, behind a writer that waits for the first.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *write_one(void *unused) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *read_first(void *unused) {
    pthread_rwlock_rdlock(&lock);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, write_one, 0);
    pthread_create(&b, 0, read_first, 0);
    pthread_mutex_lock(&mutex);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_mutex_unlock(&mutex);
    return 0;
}
