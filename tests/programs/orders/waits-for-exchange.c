// property: unreach   model: sc   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: ra   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// The loop goes on after an exchange that succeeded, which leaves something behind.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ST(x, v) atomic_store_explicit(&x, v, memory_order_release)
#define LD(x) atomic_load_explicit(&x, memory_order_acquire)
#define ADD(x, v) atomic_fetch_add_explicit(&x, v, memory_order_acq_rel)

atomic_int x;

static void *writer(void *arg) { ST(x, 1); return 0; }

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int is_done;
    do {
        int expected = 1;
        is_done = atomic_compare_exchange_strong_explicit(&x, &expected, 2, memory_order_acq_rel, memory_order_acquire)
            ? 0 : expected == 2;
    } while (!is_done);
    assert(LD(x) != 2);
    pthread_join(t, 0);
}
