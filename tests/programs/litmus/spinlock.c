// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// A lock made of an acquire compare-exchange and a release store protects plain data.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int lock;
int counter;

static void *thread1(void *unused)
{
    (void)unused;
    int zero = 0;
    while (!atomic_compare_exchange_strong_explicit(&lock, &zero, 1, memory_order_acquire, memory_order_acquire))
        zero = 0;
    counter = counter + 1;
    atomic_store_explicit(&lock, 0, memory_order_release);
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    int zero = 0;
    while (!atomic_compare_exchange_strong_explicit(&lock, &zero, 1, memory_order_acquire, memory_order_acquire))
        zero = 0;
    counter = counter + 1;
    atomic_store_explicit(&lock, 0, memory_order_release);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(counter == 2);
    return 0;
}
