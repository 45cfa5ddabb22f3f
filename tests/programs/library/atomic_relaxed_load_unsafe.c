// A relaxed load of something large acquires nothing.
// property: race   truth: unsafe
// explore: unsafe   priori: unsafe
#include <pthread.h>
#include <stdatomic.h>

struct triple {
    long a, b, c;
};

_Atomic struct triple shared;
int data;

void *sender(void *arg) {
    struct triple value = {1, 1, 1};
    data = 1;
    atomic_store_explicit(&shared, value, memory_order_release);
    return arg;
}

void *receiver(void *arg) {
    struct triple value = atomic_load_explicit(&shared, memory_order_relaxed);
    if (value.a == 1) data++;
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
