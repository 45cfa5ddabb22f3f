// clock_getres orders nothing.
// property: unreach   model: sc   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (imprecise)   staged: safe
// property: unreach   model: tso   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: pso   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>
#include <time.h>

int x, y, a, b;
struct timespec s, t;

static void *left(void *unused) {
    x = 1;
    clock_getres(CLOCK_MONOTONIC, &s);
    a = y;
    return unused;
}

static void *right(void *unused) {
    y = 1;
    clock_getres(CLOCK_MONOTONIC, &t);
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
