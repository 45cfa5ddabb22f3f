// A compare-exchange of the program that fails is an instruction that waits for the store buffer all the same.
// property: unreach   model: tso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a, b;
atomic_int z = 2;

static void *left(void *unused) {
    x = 1;
    int c = 0;
    atomic_compare_exchange_strong_explicit(&z, &c, 1, memory_order_relaxed, memory_order_relaxed);
    a = y;
    return unused;
}

static void *right(void *unused) {
    y = 1;
    int d = 0;
    atomic_compare_exchange_strong_explicit(&z, &d, 1, memory_order_relaxed, memory_order_relaxed);
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
