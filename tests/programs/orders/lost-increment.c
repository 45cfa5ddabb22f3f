// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
// Two increments in two steps each: one may be lost, not both.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ST(x, v) atomic_store_explicit(&x, v, memory_order_release)
#define LD(x) atomic_load_explicit(&x, memory_order_acquire)
#define ADD(x, v) atomic_fetch_add_explicit(&x, v, memory_order_acq_rel)

atomic_int x;

static void *increment(void *arg) { int r = LD(x); ST(x, r + 1); return 0; }

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, increment, 0);
    pthread_create(&u, 0, increment, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    int r = LD(x);
    assert(r >= 1 && r <= 2);
}
