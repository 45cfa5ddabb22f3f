// Two threads that store something large and then load what the other stores may both find nothing, unless all is seq_cst.
// property: unreach   truth: unsafe   model: ra
// explore: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
// property: unreach   truth: safe
// explore: safe   priori: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct triple {
    long a, b, c;
};

_Atomic struct triple x, y;
long first, second;

void *one(void *arg) {
    struct triple value = {1, 1, 1};
    atomic_store_explicit(&x, value, memory_order_release);
    value = atomic_load_explicit(&y, memory_order_acquire);
    first = value.a;
    return arg;
}

void *two(void *arg) {
    struct triple value = {1, 1, 1};
    atomic_store_explicit(&y, value, memory_order_release);
    value = atomic_load_explicit(&x, memory_order_acquire);
    second = value.a;
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, one, 0);
    pthread_create(&threads[1], 0, two, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(first == 1 || second == 1);
    return 0;
}
