// property: race   truth: safe
// explore: safe   impact: safe   priori: safe
//
// A load of some of the bytes that the release store wrote acquires what it passes on.
#include <pthread.h>
#include <stdatomic.h>

union {
    _Atomic long whole;
    atomic_int half[2];
} flag;
int data;

void *first(void *unused)
{
    data = 1;
    atomic_store_explicit(&flag.whole, 1L << 32, memory_order_release);
    return unused;
}

void *second(void *unused)
{
    if (atomic_load_explicit(&flag.half[1], memory_order_acquire) == 1)
        data = 2;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
