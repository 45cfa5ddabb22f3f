// property: unreach   model: sc   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: ra   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// Which unlock belongs to which lock is not told by the text: paired by it, the second unlock belongs to nothing.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ST(x, v) atomic_store_explicit(&x, v, memory_order_release)
#define LD(x) atomic_load_explicit(&x, memory_order_acquire)
#define ADD(x, v) atomic_fetch_add_explicit(&x, v, memory_order_acq_rel)

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
atomic_int c;
int x;

static void *first(void *arg) {
    int k = LD(c);
    if (k) pthread_mutex_lock(&m); else pthread_mutex_lock(&m);
    x = x + 1;
    if (k) pthread_mutex_unlock(&m); else pthread_mutex_unlock(&m);
    return 0;
}

static void *second(void *arg) {
    ST(c, 1);
    pthread_mutex_lock(&m);
    x = x + 1;
    assert(x != 2);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
}
