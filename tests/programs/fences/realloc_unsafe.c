// realloc orders nothing.
// property: unreach   model: sc   truth: safe
// explore: safe   priori: safe
// property: unreach   model: tso   truth: unsafe
// explore: unsafe   priori: unsafe
// property: unreach   model: pso   truth: unsafe
// explore: unsafe   priori: unsafe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x, y, a, b;
void *p, *q;

static void *left(void *unused) {
    x = 1;
    p = realloc(p, 8);
    a = y;
    return unused;
}

static void *right(void *unused) {
    y = 1;
    q = realloc(q, 8);
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
