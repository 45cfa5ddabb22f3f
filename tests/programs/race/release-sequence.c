// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe

/* A relaxed read-modify-write of another thread carries on what a release store passes on. */
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int stage;

void *produce(void *unused) {
    data = 1;
    atomic_store_explicit(&stage, 1, memory_order_release);
    return 0;
}

void *promote(void *unused) {
    int one = 1;
    atomic_compare_exchange_strong_explicit(&stage, &one, 2, memory_order_relaxed, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t producer, promoter;
    pthread_create(&producer, 0, produce, 0);
    pthread_create(&promoter, 0, promote, 0);
    if (atomic_load_explicit(&stage, memory_order_acquire) == 2) data++;
    return 0;
}
