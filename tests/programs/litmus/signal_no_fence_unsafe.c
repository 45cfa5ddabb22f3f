// cnd_signal orders nothing where no thread waits: both threads may read the old value. Only the signals of POSIX synchronise memory.
// property: unreach   model: tso   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: sc    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

atomic_int x, y;
int seen;
cnd_t changed;

int work(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    cnd_signal(&changed);
    seen = atomic_load_explicit(&y, memory_order_relaxed);
    return 0;
}

int main(void) {
    thrd_t t;
    cnd_init(&changed);
    thrd_create(&t, work, NULL);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    cnd_broadcast(&changed);
    int own = atomic_load_explicit(&x, memory_order_relaxed);
    thrd_join(t, NULL);
    assert(own || seen);
    return 0;
}
