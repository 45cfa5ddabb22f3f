// Readers see both halves of what a writer writes.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach    model: tso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach    model: pso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach    model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
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

void *writer(void *arg) {
    pthread_rwlock_wrlock(&lock);
    left = 1;
    right = 1;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, reader, 0);
    pthread_create(&second, 0, writer, 0);
    reader(0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    pthread_rwlock_destroy(&lock);
    return 0;
}
