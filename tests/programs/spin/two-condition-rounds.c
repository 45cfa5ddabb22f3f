// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// Both waiters must have been let in before the assertion fails: each waits with the lock released.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int stage;

static void *first(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    while (stage != 1) pthread_cond_wait(&c, &m);
    stage = 2;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return 0;
}

static void *second(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    while (stage != 2) pthread_cond_wait(&c, &m);
    stage = 3;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_mutex_lock(&m);
    stage = 1;
    pthread_cond_broadcast(&c);
    while (stage != 3) pthread_cond_wait(&c, &m);
    assert(stage != 3);
    pthread_mutex_unlock(&m);
    return 0;
}
