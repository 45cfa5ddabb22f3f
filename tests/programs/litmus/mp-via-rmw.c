// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// The flag is handed on by an exchange: the reader still sees the data.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int flag;
int r1, r2;

static void *thread1(void *unused)
{
    (void)unused;
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    int one = 1;
    atomic_compare_exchange_strong_explicit(&flag, &one, 2, memory_order_acq_rel, memory_order_acquire);
    return 0;
}

static void *thread3(void *unused)
{
    (void)unused;
    r1 = atomic_load_explicit(&flag, memory_order_acquire);
    r2 = data;
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
    assert(!(r1 == 2 && r2 == 0));
    return 0;
}
