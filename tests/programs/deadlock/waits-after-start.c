// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
//
// The first thread posts if it is early enough; the one that posts in any case is there before anybody waits.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

atomic_int late;
sem_t s;

void *sometimes(void *arg) {
    if (!late)
        sem_post(&s);
    return 0;
}

void *always(void *arg) {
    sem_post(&s);
    return 0;
}

int main(void) {
    pthread_t first, second;
    sem_init(&s, 0, 0);
    pthread_create(&first, 0, sometimes, 0);
    late = 1;
    pthread_create(&second, 0, always, 0);
    sem_wait(&s);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
