// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// The test S with a fence between the stores.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y;
int r1;

static void *thread1(void *unused)
{
    (void)unused;
    x = 2;
    atomic_thread_fence(memory_order_seq_cst);
    y = 1;
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    r1 = y;
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(!(r1 == 1 && x == 2));
    return 0;
}
