// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
//
// Relaxed atomic accesses do not race with each other either.
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void *thread1(void *unused)
{
    (void)unused;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
