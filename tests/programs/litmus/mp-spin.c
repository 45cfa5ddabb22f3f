// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
//
// Message passing with a reader that waits for the flag.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int flag;
int r1;

static void *thread1(void *unused)
{
    (void)unused;
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    while (!atomic_load_explicit(&flag, memory_order_acquire)) {
    }
    r1 = data;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(r1 == 42);
    return 0;
}
