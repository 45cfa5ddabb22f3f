// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// Atomic increments are never lost.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void *thread1(void *unused)
{
    (void)unused;
    atomic_fetch_add_explicit(&x, 1, memory_order_acq_rel);
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    atomic_fetch_add_explicit(&x, 1, memory_order_acq_rel);
    return 0;
}

static void *thread3(void *unused)
{
    (void)unused;
    atomic_fetch_add_explicit(&x, 1, memory_order_acq_rel);
    return 0;
}

int main(void)
{
    pthread_t t1, t2, t3;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_create(&t3, 0, thread3, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    assert(x == 3);
    return 0;
}
