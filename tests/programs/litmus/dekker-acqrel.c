// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: pso   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: ra   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
//
// Dekker's algorithm with release stores and acquire loads.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag[2];
atomic_int turn;
atomic_int inside;

static void *thread1(void *unused)
{
    (void)unused;
    atomic_store_explicit(&flag[0], 1, memory_order_release);
    while (atomic_load_explicit(&flag[1], memory_order_acquire)) {
        if (atomic_load_explicit(&turn, memory_order_acquire) != 0) {
            atomic_store_explicit(&flag[0], 0, memory_order_release);
            while (atomic_load_explicit(&turn, memory_order_acquire) != 0) {
            }
            atomic_store_explicit(&flag[0], 1, memory_order_release);
        }
    }
    assert(atomic_fetch_add_explicit(&inside, 1, memory_order_acq_rel) == 0);
    atomic_fetch_sub_explicit(&inside, 1, memory_order_acq_rel);
    atomic_store_explicit(&turn, 1, memory_order_release);
    atomic_store_explicit(&flag[0], 0, memory_order_release);
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    atomic_store_explicit(&flag[1], 1, memory_order_release);
    while (atomic_load_explicit(&flag[0], memory_order_acquire)) {
        if (atomic_load_explicit(&turn, memory_order_acquire) != 1) {
            atomic_store_explicit(&flag[1], 0, memory_order_release);
            while (atomic_load_explicit(&turn, memory_order_acquire) != 1) {
            }
            atomic_store_explicit(&flag[1], 1, memory_order_release);
        }
    }
    assert(atomic_fetch_add_explicit(&inside, 1, memory_order_acq_rel) == 0);
    atomic_fetch_sub_explicit(&inside, 1, memory_order_acq_rel);
    atomic_store_explicit(&turn, 0, memory_order_release);
    atomic_store_explicit(&flag[1], 0, memory_order_release);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(inside == 0);
    return 0;
}
