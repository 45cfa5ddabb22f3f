// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// The process goes on when main calls pthread_exit: the thread that waits for itself waits for ever.
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
    pthread_exit(0);
}
