// The signals of POSIX synchronise memory (4.12) even where no thread waits.
// property: unreach   model: tso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int seen;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void *work(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    pthread_cond_signal(&changed);
    seen = atomic_load_explicit(&y, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    pthread_cond_broadcast(&changed);
    int own = atomic_load_explicit(&x, memory_order_relaxed);
    pthread_join(t, NULL);
    assert(own || seen);
    return 0;
}
