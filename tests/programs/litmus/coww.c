// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// Coherence: the stores of one thread to one location keep their order.
#include <assert.h>
#include <pthread.h>

int x;

static void *thread1(void *unused)
{
    (void)unused;
    x = 1;
    x = 2;
    return 0;
}

int main(void)
{
    pthread_t t1;
    pthread_create(&t1, 0, thread1, 0);
    pthread_join(t1, 0);
    assert(x == 2);
    return 0;
}
