// A read-modify-write continues the release sequence of the store that it reads from.
// property: race   truth: safe
// explore: safe   priori: safe
// property: race   truth: safe   data-model: ilp32
// explore: safe   priori: safe
#include <pthread.h>
#include <stdatomic.h>

struct triple {
    long a, b, c;
};

_Atomic struct triple shared;
int data;

void *first(void *arg) {
    struct triple value = {1, 1, 1};
    data = 1;
    atomic_store_explicit(&shared, value, memory_order_release);
    return arg;
}

void *second(void *arg) {
    struct triple value = atomic_load_explicit(&shared, memory_order_relaxed);
    if (value.a == 1) {
        struct triple next = {2, 2, 2};
        value = atomic_exchange_explicit(&shared, next, memory_order_relaxed);
        if (value.a != 1) pthread_exit(0);
    }
    return arg;
}

void *third(void *arg) {
    struct triple value = atomic_load_explicit(&shared, memory_order_acquire);
    if (value.a == 2) data++;
    return arg;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_create(&threads[2], 0, third, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    pthread_join(threads[2], 0);
    return 0;
}
