// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe

/* Each round of the waiting loop changes nothing, but the read in one races with a write that comes after the loop. */
#include <pthread.h>
#include <stdatomic.h>

int data, copy;
atomic_int go, gone;

void *wait(void *unused) {
    while (!atomic_load_explicit(&go, memory_order_relaxed)) {
        int unused_copy = *(volatile int *)&data;
    }
    atomic_store_explicit(&gone, 1, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, wait, 0);
    atomic_store_explicit(&go, 1, memory_order_relaxed);
    if (atomic_load_explicit(&gone, memory_order_relaxed)) data = 1;
    return 0;
}
