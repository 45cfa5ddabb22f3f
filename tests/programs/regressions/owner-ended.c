// property: locks   truth: safe
// explore: safe   impact: safe   staged: safe
//
// A thread ends with a lock held; the next thread, which may get its number, waits for the lock but does not own it.
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *unused)
{
    pthread_mutex_lock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, take, 0);
    pthread_join(first, 0);
    pthread_create(&second, 0, take, 0);
    pthread_join(second, 0);
    return 0;
}
