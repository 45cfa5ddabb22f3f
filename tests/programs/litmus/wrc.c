// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// Write-to-read causality: what the second thread saw, the third sees too.
#include <assert.h>
#include <pthread.h>

int x, y;
int r1, r2, r3;

static void *thread1(void *unused)
{
    (void)unused;
    x = 1;
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    r1 = x;
    y = 1;
    return 0;
}

static void *thread3(void *unused)
{
    (void)unused;
    r2 = y;
    r3 = x;
    return 0;
}

int main(void)
{
    pthread_t t1, t2, t3;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_create(&t3, 0, thread3, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    assert(!(r1 == 1 && r2 == 1 && r3 == 0));
    return 0;
}
