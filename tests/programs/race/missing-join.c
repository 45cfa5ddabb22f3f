// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// The write after the creation is not ordered with the thread.
#include <pthread.h>

int x;

static void *thread1(void *unused)
{
    (void)unused;
    x++;
    return 0;
}

int main(void)
{
    pthread_t t1;
    pthread_create(&t1, 0, thread1, 0);
    x++;
    pthread_join(t1, 0);
    return 0;
}
