// pthread_rwlock_tryrdlock that succeeds is a fence.
// property: unreach   model: tso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

int x, y, a, b;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *left(void *unused) {
    x = 1;
    pthread_rwlock_tryrdlock(&l);
    a = y;
    return unused;
}

static void *right(void *unused) {
    y = 1;
    pthread_rwlock_tryrdlock(&l);
    b = x;
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(a || b);
    return 0;
}
