// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// Coherence: a load does not see the store behind it.
#include <assert.h>
#include <pthread.h>

int x;
int r1;

static void *thread1(void *unused)
{
    (void)unused;
    r1 = x;
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t t1;
    pthread_create(&t1, 0, thread1, 0);
    pthread_join(t1, 0);
    assert(r1 == 0);
    return 0;
}
