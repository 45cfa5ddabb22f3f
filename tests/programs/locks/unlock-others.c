// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// Unlocking a mutex that another thread holds.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *thread1(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    pthread_mutex_unlock(&m);
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
