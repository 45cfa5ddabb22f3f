// A release store of something large passes on what came before it to an acquire load.
// property: race   truth: safe
// explore: safe   priori: safe
// property: race   truth: safe   data-model: ilp32
// explore: safe   priori: safe
// property: race   truth: safe   model: tso
// explore: safe   priori: safe
// property: race   truth: safe   model: pso
// explore: safe   priori: safe
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
    struct triple value = atomic_load_explicit(&shared, memory_order_acquire);
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
