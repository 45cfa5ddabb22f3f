// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// A lock that is released by a plain store: under pso the release may overtake the data.
#include <assert.h>
#include <pthread.h>

int lock;
int counter;

static void *thread1(void *unused)
{
    (void)unused;
    while (!__sync_bool_compare_and_swap(&lock, 0, 1)) {
    }
    counter = counter + 1;
    lock = 0;
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    while (!__sync_bool_compare_and_swap(&lock, 0, 1)) {
    }
    counter = counter + 1;
    lock = 0;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(counter == 2);
    return 0;
}
