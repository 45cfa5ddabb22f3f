// An atomic object that is too large for the machine is not torn.
// property: unreach    truth: safe
// explore: safe   priori: safe
// property: race       truth: safe
// explore: safe   priori: safe
// property: unreach    truth: safe   data-model: ilp32
// explore: safe   priori: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct triple {
    long long a, b, c;
};

_Atomic struct triple shared;

void *worker(void *arg) {
    struct triple mine = {1, 1, 1};
    atomic_store(&shared, mine);
    return arg;
}

int main(void) {
    pthread_t thread;
    struct triple seen, expected = {1, 1, 1}, desired = {2, 2, 2};
    pthread_create(&thread, 0, worker, 0);
    seen = atomic_load(&shared);
    assert(seen.a == seen.b && seen.b == seen.c);
    pthread_join(thread, 0);
    assert(atomic_compare_exchange_strong(&shared, &expected, desired));
    assert(!atomic_compare_exchange_strong(&shared, &expected, desired) && expected.c == 2);
    return 0;
}
