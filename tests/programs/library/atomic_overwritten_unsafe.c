// An acquire does not synchronise with a release that another store has overwritten.
// property: race   truth: unsafe
// explore: unsafe   priori: unsafe
// property: race   truth: unsafe   data-model: ilp32
// explore: unsafe   priori: unsafe
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
        atomic_store_explicit(&shared, next, memory_order_relaxed);
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
