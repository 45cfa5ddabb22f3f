// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// A store never comes between the load and the store of an exchange: if the exchange saw the initial value, the plain
// store came later and wins; otherwise the exchange wins.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;
int r1;

static void *thread1(void *unused)
{
    (void)unused;
    r1 = atomic_exchange_explicit(&x, 1, memory_order_acq_rel);
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    atomic_store_explicit(&x, 2, memory_order_release);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(r1 == 0 ? x == 2 : x == 1);
    return 0;
}
