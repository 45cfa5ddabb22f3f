// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// Two writers in opposite orders, with fences.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y;

static void *thread1(void *unused)
{
    (void)unused;
    x = 1;
    atomic_thread_fence(memory_order_seq_cst);
    y = 2;
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    y = 1;
    atomic_thread_fence(memory_order_seq_cst);
    x = 2;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(!(x == 1 && y == 1));
    return 0;
}
