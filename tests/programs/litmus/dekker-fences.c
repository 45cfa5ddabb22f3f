// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// Dekker's algorithm with a fence wherever a flag is raised.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int flag[2];
int turn;
atomic_int inside;

static void *thread1(void *unused)
{
    (void)unused;
    flag[0] = 1;
    atomic_thread_fence(memory_order_seq_cst);
    while (flag[1]) {
        if (turn != 0) {
            flag[0] = 0;
            while (turn != 0) {
            }
            flag[0] = 1;
            atomic_thread_fence(memory_order_seq_cst);
        }
    }
    assert(atomic_fetch_add_explicit(&inside, 1, memory_order_acq_rel) == 0);
    atomic_fetch_sub_explicit(&inside, 1, memory_order_acq_rel);
    turn = 1;
    flag[0] = 0;
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    flag[1] = 1;
    atomic_thread_fence(memory_order_seq_cst);
    while (flag[0]) {
        if (turn != 1) {
            flag[1] = 0;
            while (turn != 1) {
            }
            flag[1] = 1;
            atomic_thread_fence(memory_order_seq_cst);
        }
    }
    assert(atomic_fetch_add_explicit(&inside, 1, memory_order_acq_rel) == 0);
    atomic_fetch_sub_explicit(&inside, 1, memory_order_acq_rel);
    turn = 0;
    flag[1] = 0;
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
