// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race   truth: safe
// explore: safe   priori: safe   staged: safe
//
// A flag is polled under its lock; the lock is free between two looks.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int ready, data;

static void *reader(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&m);
        if (ready) break;
        pthread_mutex_unlock(&m);
    }
    assert(data == 7);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    pthread_mutex_lock(&m);
    data = 7;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
