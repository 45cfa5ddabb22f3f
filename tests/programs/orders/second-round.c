// property: unreach   model: sc   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: ra   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// A store in a loop is done again: an order in which it comes once loses the second round.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ST(x, v) atomic_store_explicit(&x, v, memory_order_release)
#define LD(x) atomic_load_explicit(&x, memory_order_acquire)
#define ADD(x, v) atomic_fetch_add_explicit(&x, v, memory_order_acq_rel)

atomic_int x;

static void *writer(void *arg) {
    for (int i = 0; i < 2; i++) {
        ST(x, 1);
        ST(x, 2);
    }
    return 0;
}

static void *reader(void *arg) {
    int first = LD(x), second = LD(x);
    assert(!(first == 2 && second == 1));
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, writer, 0);
    pthread_create(&u, 0, reader, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
}
