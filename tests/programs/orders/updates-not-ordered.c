// property: unreach   model: sc   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: ra   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// Two read-modify-writes that d merely does not know the order of: to exclude that it sees both is wrong.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ST(x, v) atomic_store_explicit(&x, v, memory_order_release)
#define LD(x) atomic_load_explicit(&x, memory_order_acquire)
#define ADD(x, v) atomic_fetch_add_explicit(&x, v, memory_order_acq_rel)

atomic_int x, a, b;

static void *ta(void *arg) { ADD(x, 1); ST(a, 1); return 0; }
static void *tb(void *arg) { if (ADD(x, 1) == 5) ST(b, 1); return 0; }
static void *tc(void *arg) { ST(x, 5); return 0; }
static void *td(void *arg) { if (LD(a) == 1) assert(LD(b) == 0); return 0; }

int main(void) {
    pthread_t t[4];
    pthread_create(&t[0], 0, ta, 0);
    pthread_create(&t[1], 0, tb, 0);
    pthread_create(&t[2], 0, tc, 0);
    pthread_create(&t[3], 0, td, 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
}
