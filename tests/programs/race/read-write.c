// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// A plain read and a plain write without synchronisation.
#include <pthread.h>

int x, y;

static void *thread1(void *unused)
{
    (void)unused;
    y = x;
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    x = 2;
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
