// free beside a fence.
// property: unreach   model: tso   truth: safe
// explore: safe   impact: safe   priori: safe
// property: unreach   model: pso   truth: safe
// explore: safe   impact: safe   priori: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int x, y, a, b;
void *p, *q;

static void *left(void *unused) {
    x = 1;
    free(p);
    atomic_thread_fence(memory_order_seq_cst);
    a = y;
    return unused;
}

static void *right(void *unused) {
    y = 1;
    free(q);
    atomic_thread_fence(memory_order_seq_cst);
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
