// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
//
// Independent reads of independent writes: under ra two readers may disagree on the order of two writes.
#include <assert.h>
#include <pthread.h>

int x, y;
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
    y = 1;
    return 0;
}

static void *thread3(void *unused)
{
    (void)unused;
    r1 = x;
    r2 = y;
    return 0;
}

static void *thread4(void *unused)
{
    (void)unused;
    r3 = y;
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
    assert(!(r1 == 1 && r2 == 0 && r3 == 1 && r4 == 0));
    return 0;
}
