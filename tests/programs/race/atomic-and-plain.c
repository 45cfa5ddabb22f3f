// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// An atomic write and a plain read of the same bytes do race.
#include <pthread.h>
#include <stdatomic.h>

_Atomic int x;
int y;

static void *thread1(void *unused)
{
    (void)unused;
    atomic_store(&x, 1);
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    y = *(int *)&x;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
