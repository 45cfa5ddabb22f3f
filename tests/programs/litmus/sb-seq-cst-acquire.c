// property: unreach   model: ra   truth: unsafe
// explore: unknown (mixed)   priori: unknown (mixed)   staged: unknown (mixed)
// property: unreach   model: tso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// Store buffering with seq_cst stores and acquire loads: C11 allows both loads to find 0. The model `ra` is stronger there, so that it must
// not be called safe.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;

static void *first(void *unused) {
    atomic_store(&x, 1);
    a = atomic_load_explicit(&y, memory_order_acquire);
    return unused;
}

static void *second(void *unused) {
    atomic_store(&y, 1);
    b = atomic_load_explicit(&x, memory_order_acquire);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(a == 1 || b == 1);
    return 0;
}
