// A thread stores its own number, another one sees it and says so: both mean the same value.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: ra   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

_Atomic pthread_t owner;
atomic_int seen;

void *other(void *unused) {
    if (atomic_load_explicit(&owner, memory_order_acquire) != 0)
        atomic_store_explicit(&seen, 1, memory_order_release);
    return 0;
}

void *one(void *unused) {
    atomic_store_explicit(&owner, pthread_self(), memory_order_release);
    assert(atomic_load_explicit(&seen, memory_order_acquire) == 0);
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&t, 0, other, 0);
    pthread_create(&s, 0, one, 0);
    pthread_join(s, 0);
    return 0;
}
