// property: unreach   model: sc   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: tso   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: pso   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: ra   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
//
// A plain increment is a load and a store.
#include <assert.h>
#include <pthread.h>

int x;

static void *thread1(void *unused)
{
    (void)unused;
    x++;
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    x++;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(x == 2);
    return 0;
}
