// Two posts for three waits.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <pthread.h>
#include <semaphore.h>

sem_t items;

void *producer(void *arg) {
    sem_post(&items);
    sem_post(&items);
    return arg;
}

int main(void) {
    pthread_t thread;
    sem_init(&items, 0, 0);
    pthread_create(&thread, 0, producer, 0);
    sem_wait(&items);
    sem_wait(&items);
    sem_wait(&items);
    return 0;
}
