// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe

/* A compare-exchange that fails has its failure order: acquire, it takes over what the store passes on. */
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int ready;

void *produce(void *unused) {
    data = 1;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return 0;
}

int main(void) {
    pthread_t producer;
    pthread_create(&producer, 0, produce, 0);
    int none = 0;
    if (!atomic_compare_exchange_strong_explicit(&ready, &none, 2, memory_order_acq_rel, memory_order_acquire)) {
        data++;
    }
    return 0;
}
