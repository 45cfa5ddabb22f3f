// free orders nothing: both stores may still be buffered when the other thread loads.
// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe
// property: unreach   model: tso   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: pso   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x, y, a, b;
void *p, *q;

static void *left(void *unused) {
    x = 1;
    free(p);
    a = y;
    return unused;
}

static void *right(void *unused) {
    y = 1;
    free(q);
    b = x;
    return unused;
}

int main(void) {
    pthread_t one, two;
    p = malloc(4);
    q = malloc(4);
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(a || b);
    return 0;
}
