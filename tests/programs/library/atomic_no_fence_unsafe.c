// An access to something large is no fence for relaxed accesses beside it.
// property: race   truth: unsafe
// explore: unsafe   priori: unsafe
#include <pthread.h>
#include <stdatomic.h>

struct triple {
    long a, b, c;
};

_Atomic struct triple shared;
atomic_int flag;
int data;

void *sender(void *arg) {
    struct triple value = {1, 1, 1};
    data = 1;
    atomic_store_explicit(&shared, value, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

void *receiver(void *arg) {
    int is_set = atomic_load_explicit(&flag, memory_order_relaxed);
    atomic_load_explicit(&shared, memory_order_relaxed);
    if (is_set) data++;
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, sender, 0);
    pthread_create(&threads[1], 0, receiver, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
