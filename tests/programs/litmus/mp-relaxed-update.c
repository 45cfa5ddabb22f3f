// property: unreach   model: ra   truth: unsafe
// explore: unknown (relaxed)   priori: unknown (relaxed)   staged: unknown (relaxed)
// Message passing by a relaxed read-modify-write: C11 lets the reader miss the message. The model `ra` takes the update for a release, so that
// it must not be called safe.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int message, flag;

static void *send(void *unused) {
    atomic_store_explicit(&message, 1, memory_order_release);
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t sender;
    pthread_create(&sender, 0, send, 0);
    if (atomic_load_explicit(&flag, memory_order_acquire) == 1)
        assert(atomic_load_explicit(&message, memory_order_acquire) == 1);
    pthread_join(sender, 0);
    return 0;
}
