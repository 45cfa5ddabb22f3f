// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A thread ends with a lock held; the next one, which might get its number, does not hold the lock.
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *unused)
{
    pthread_mutex_lock(&mutex);
    return unused;
}

static void *release(void *unused)
{
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, take, 0);
    pthread_join(thread, 0);
    pthread_create(&thread, 0, release, 0);
    pthread_join(thread, 0);
    return 0;
}
