// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A pointer to a thread-local variable of a thread that has ended does not lead to that of the next thread.
#include <pthread.h>

_Thread_local int own;
int *place;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *publish(void *unused)
{
    place = &own;
    own = 1;
    return unused;
}

static void *wait(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, publish, 0);
    pthread_join(first, 0);
    pthread_mutex_lock(&mutex);
    pthread_create(&second, 0, wait, 0);
    *place = 5;
    pthread_mutex_unlock(&mutex);
    pthread_join(second, 0);
    return 0;
}
