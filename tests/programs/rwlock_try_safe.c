// What the try functions, and locking by the writer itself, give in each state. The writer itself may
// wait for ever instead of being given EDEADLK (POSIX pthread_rwlock_wrlock).
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// property: deadlock   truth: safe   libc: glibc
// explore: safe   impact: safe   staged: safe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_rwlock_t lock;

void *reader(void *arg) {
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    pthread_rwlock_unlock(&lock);
    return arg;
}

void *stranger(void *arg) {
    struct timespec deadline = {5, 5};
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    assert(pthread_rwlock_timedwrlock(&lock, &deadline) == ETIMEDOUT);
    assert(pthread_rwlock_timedrdlock(&lock, &deadline) == ETIMEDOUT);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_rwlock_init(&lock, 0);
    pthread_rwlock_rdlock(&lock);
    pthread_create(&thread, 0, reader, 0);
    pthread_join(thread, 0);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    assert(pthread_rwlock_rdlock(&lock) == EDEADLK);
    assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
    pthread_create(&thread, 0, stranger, 0);
    pthread_join(thread, 0);
    pthread_rwlock_unlock(&lock);
    return pthread_rwlock_destroy(&lock);
}
