// The lock is given back without releasing what was written.
// property: race   truth: unsafe
// tar: unknown
#include <pthread.h>
#include <stdatomic.h>

atomic_int taken;
int value;

void *work(void *arg) {
    int free = 0;
    while (!atomic_compare_exchange_weak(&taken, &free, 1))
        free = 0;
    value = value + 1;
    atomic_store_explicit(&taken, 0, memory_order_relaxed);
    return arg;
}

int main(void) {
    for (;;) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
    }
}
