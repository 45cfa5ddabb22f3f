// pthread_once that finds the initialisation done is a load that acquires.
// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: pso   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

int x, y, a, b;
pthread_once_t once = PTHREAD_ONCE_INIT;

static void nothing(void) {}

static void *left(void *unused) {
    x = 1;
    pthread_once(&once, nothing);
    a = y;
    return unused;
}

static void *right(void *unused) {
    y = 1;
    pthread_once(&once, nothing);
    b = x;
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_once(&once, nothing);
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(a || b);
    return 0;
}
