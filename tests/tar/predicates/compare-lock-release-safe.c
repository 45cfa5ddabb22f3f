// The lock is given back by releasing what was written.
// property: race   truth: safe
// tar: safe
#include <pthread.h>
#include <stdatomic.h>

atomic_int taken;
int value;

void *work(void *arg) {
    int free = 0;
    while (!atomic_compare_exchange_weak(&taken, &free, 1))
        free = 0;
    value = value + 1;
    atomic_store_explicit(&taken, 0, memory_order_release);
    return arg;
}

int main(void) {
    for (;;) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
    }
}
