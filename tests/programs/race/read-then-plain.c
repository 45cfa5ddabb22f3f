// property: race   model: sc   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: race   model: ra   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// That a relaxed load has read a store does not order the plain read after it.

#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void *writer(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    if (atomic_load_explicit(&x, memory_order_relaxed) == 1) {
        volatile int r = *(int *)&x;
        (void)r;
    }
    pthread_join(t, 0);
}
