// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// Message passing: pso may let the flag overtake the data.
#include <assert.h>
#include <pthread.h>

int data, flag;
int r1, r2;

static void *thread1(void *unused)
{
    (void)unused;
    data = 1;
    flag = 1;
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    r1 = flag;
    r2 = data;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(!(r1 == 1 && r2 == 0));
    return 0;
}
