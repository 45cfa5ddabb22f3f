// Each thread has an expected value of its own.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <pthread.h>
#include <stdatomic.h>

struct triple {
    long a, b, c;
};

_Atomic struct triple one, two;
struct triple expected = {3, 3, 3};

void *exchange_one(void *arg) {
    struct triple expected = {3, 3, 3}, desired = {4, 4, 4};
    atomic_compare_exchange_strong_explicit(&one, &expected, desired, memory_order_relaxed, memory_order_relaxed);
    return arg;
}

void *exchange_two(void *arg) {
    struct triple expected = {3, 3, 3}, desired = {4, 4, 4};
    atomic_compare_exchange_strong_explicit(&two, &expected, desired, memory_order_relaxed, memory_order_relaxed);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, exchange_one, 0);
    pthread_create(&threads[1], 0, exchange_two, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
