// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
//
// The process ends when main returns, whoever waits.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *thread1(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}

int main(void)
{
    pthread_t t1;
    pthread_create(&t1, 0, thread1, 0);
    return 0;
}
