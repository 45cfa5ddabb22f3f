// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// Increments by compare-exchange loops are never lost.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void *thread1(void *unused)
{
    (void)unused;
    int old = atomic_load_explicit(&x, memory_order_acquire);
    while (!atomic_compare_exchange_strong_explicit(&x, &old, old + 1, memory_order_acq_rel, memory_order_acquire)) {
    }
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    int old = atomic_load_explicit(&x, memory_order_acquire);
    while (!atomic_compare_exchange_strong_explicit(&x, &old, old + 1, memory_order_acq_rel, memory_order_acquire)) {
    }
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(x == 2);
    return 0;
}
