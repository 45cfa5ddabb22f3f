// property: race   truth: safe
// explore: safe   priori: safe   staged: safe
// property: race   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// The data is handed over by a release store and an acquire load.
#include <pthread.h>
#include <stdatomic.h>

int data, seen;
atomic_int ready;

static void *thread1(void *unused)
{
    (void)unused;
    data = 1;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    if (atomic_load_explicit(&ready, memory_order_acquire))
        seen = data;
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
