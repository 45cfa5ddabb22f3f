// property: deadlock   truth: unsafe
// explore: unsafe   staged: unsafe
//
// A recursive mutex that an ended thread holds is not held by the next one.
#include <pthread.h>

pthread_mutex_t mutex;

static void *take(void *unused)
{
    pthread_mutex_lock(&mutex);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_t thread;
    pthread_create(&thread, 0, take, 0);
    pthread_join(thread, 0);
    pthread_create(&thread, 0, take, 0);
    pthread_join(thread, 0);
    return 0;
}
