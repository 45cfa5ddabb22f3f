// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
//
// A thread that spins for ever is not blocked.
#include <pthread.h>

volatile int never;

static void *thread1(void *unused)
{
    (void)unused;
    while (!never) {
    }
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    ;
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
