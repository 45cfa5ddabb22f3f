// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// Two waits, one post.
#include <pthread.h>
#include <semaphore.h>

sem_t s;

static void *thread1(void *unused)
{
    (void)unused;
    sem_wait(&s);
    sem_wait(&s);
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    sem_post(&s);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    sem_init(&s, 0, 0);
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
