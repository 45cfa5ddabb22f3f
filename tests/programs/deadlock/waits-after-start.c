// property: deadlock   truth: safe
// explore: safe   staged: safe
//
// The thread that posts is started before anybody waits for it.
#include <pthread.h>
#include <semaphore.h>

sem_t early, late;

void *poster(void *arg) {
    sem_post(&late);
    return 0;
}

void *waiter(void *arg) {
    sem_wait(&early);
    return 0;
}

int main(void) {
    pthread_t first, second;
    sem_init(&early, 0, 1);
    sem_init(&late, 0, 0);
    pthread_create(&first, 0, waiter, 0);
    pthread_create(&second, 0, poster, 0);
    sem_wait(&late);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
