// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: pso   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: ra   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
//
// Each thread sees its own store, from its store buffer, before the other one does.
#include <assert.h>
#include <pthread.h>

int x, y;
int r1, r2, r3, r4;

static void *thread1(void *unused)
{
    (void)unused;
    x = 1;
    r1 = x;
    r2 = y;
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    y = 1;
    r3 = y;
    r4 = x;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(!(r1 == 1 && r2 == 0 && r3 == 1 && r4 == 0));
    return 0;
}
