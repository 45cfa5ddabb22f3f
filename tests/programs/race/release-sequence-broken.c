// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe

/* A relaxed store of another thread ends the release sequence, although it follows the release store. */
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
    if (atomic_load_explicit(&stage, memory_order_relaxed) == 1) {
        atomic_store_explicit(&stage, 2, memory_order_relaxed);
    }
    return 0;
}

int main(void) {
    pthread_t producer, promoter;
    pthread_create(&producer, 0, produce, 0);
    pthread_create(&promoter, 0, promote, 0);
    if (atomic_load_explicit(&stage, memory_order_acquire) == 2) data++;
    return 0;
}
