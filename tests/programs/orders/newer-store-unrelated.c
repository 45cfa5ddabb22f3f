// The loops store only in rounds that are not told apart, so which of two stores is newer is not known: what relates a
// variable to the value of the one does not relate it to the value of the other.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: ra   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x = 4;

void *first(void *unused) {
    for (int i = 0; i < 10; i++)
        if (i >= 5) atomic_store_explicit(&x, (i & 3) + 1, memory_order_release);
    return 0;
}

void *second(void *unused) {
    for (int i = 0; i < 10; i++)
        if (i >= 8) atomic_store_explicit(&x, 4, memory_order_release);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    pthread_join(t, 0);
    int before = atomic_load_explicit(&x, memory_order_acquire);
    pthread_create(&t, 0, second, 0);
    pthread_join(t, 0);
    int after = atomic_load_explicit(&x, memory_order_acquire);
    assert(after <= before);
}
