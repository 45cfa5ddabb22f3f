// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
//
// Different bytes of an array do not conflict.
#include <pthread.h>

char bytes[2];

static void *thread1(void *unused)
{
    (void)unused;
    bytes[0] = 1;
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    bytes[1] = 1;
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
