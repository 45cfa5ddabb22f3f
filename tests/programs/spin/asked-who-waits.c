// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// One of the two who wait takes the only signal and waits on; so the other still waits when the condition variable is
// destroyed. Who waits matters here, although waits may end for no reason.
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int arrived, woken, gone;

static void *one(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    arrived++;
    while (!gone) {
        pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void *other(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    arrived++;
    pthread_cond_wait(&changed, &mutex);
    woken = 1;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, other, 0);
    pthread_mutex_lock(&mutex);
    if (arrived != 2) exit(0);
    pthread_cond_signal(&changed);
    gone = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(first, 0);
    pthread_cond_destroy(&changed);
    return 0;
}
