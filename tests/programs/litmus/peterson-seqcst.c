// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// Peterson's algorithm with sequentially consistent atomics.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag[2];
atomic_int turn;
atomic_int inside;

static void *thread1(void *unused)
{
    (void)unused;
    flag[0] = 1;
    turn = 1;
    while (flag[1] && turn == 1) {
    }
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    flag[0] = 0;
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    flag[1] = 1;
    turn = 0;
    while (flag[0] && turn == 0) {
    }
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
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
