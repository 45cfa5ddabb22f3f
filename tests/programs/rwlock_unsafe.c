// The writer takes the lock for reading only.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race       truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int left, right;

void *reader(void *arg) {
    pthread_rwlock_rdlock(&lock);
    assert(left == right);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    pthread_rwlock_rdlock(&lock);
    left = 1;
    right = 1;
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
