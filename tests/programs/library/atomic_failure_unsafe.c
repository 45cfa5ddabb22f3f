// A compare and exchange that fails has the memory order of a failure.
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

void *sender(void *arg) {
    struct triple value = {1, 1, 1};
    data = 1;
    atomic_store_explicit(&shared, value, memory_order_release);
    return arg;
}

void *receiver(void *arg) {
    struct triple expected = {3, 3, 3}, desired = {4, 4, 4};
    if (!atomic_compare_exchange_strong_explicit(&shared, &expected, desired, memory_order_acquire, memory_order_relaxed)) {
        if (expected.a == 1) data++;
    }
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
