// property: unreach   truth: unsafe
// explore: unsafe   impact: unknown (time)   priori: unsafe   staged: unsafe
//
// Each round of the loop posts once more, and several are needed. A wait with a deadline may end for no reason, but the
// semaphore's count matters all the same.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

sem_t s;
atomic_int done;

static void *poster(void *unused)
{
    (void)unused;
    while (!done) sem_post(&s);
    return 0;
}

int main(void)
{
    pthread_t t;
    struct timespec soon = {0, 0};
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, poster, 0);
    sem_timedwait(&s, &soon);
    sem_wait(&s);
    sem_wait(&s);
    assert(0);
    return 0;
}
