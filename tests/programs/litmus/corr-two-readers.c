// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// Coherence: two readers agree on the order of two writes to one location.
#include <assert.h>
#include <pthread.h>

int x;
int r1, r2, r3, r4;

static void *thread1(void *unused)
{
    (void)unused;
    x = 1;
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    x = 2;
    return 0;
}

static void *thread3(void *unused)
{
    (void)unused;
    r1 = x;
    r2 = x;
    return 0;
}

static void *thread4(void *unused)
{
    (void)unused;
    r3 = x;
    r4 = x;
    return 0;
}

int main(void)
{
    pthread_t t1, t2, t3, t4;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_create(&t3, 0, thread3, 0);
    pthread_create(&t4, 0, thread4, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    pthread_join(t4, 0);
    assert(!(r1 == 1 && r2 == 2 && r3 == 2 && r4 == 1));
    return 0;
}
