// property: unreach   truth: unsafe
// explore: unsafe   impact: unknown (time)   priori: unsafe   staged: unsafe
//
// A semaphore in one object with a condition variable: who waits for the latter does not matter, the former's count does.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

struct {
    pthread_cond_t c;
    sem_t s;
} both;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
atomic_int done;
int go;

static void *poster(void *unused)
{
    (void)unused;
    while (!done) sem_post(&both.s);
    return 0;
}

static void *waiter(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    while (!go) pthread_cond_wait(&both.c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t, u;
    sem_init(&both.s, 0, 0);
    pthread_create(&t, 0, poster, 0);
    pthread_create(&u, 0, waiter, 0);
    sem_wait(&both.s);
    sem_wait(&both.s);
    assert(0);
    return 0;
}
