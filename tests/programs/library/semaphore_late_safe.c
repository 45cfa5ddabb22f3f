// A wait that succeeds synchronises with the thread that posted.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

sem_t semaphore;
int data;

void *taker(void *arg) {
    data = 1;
    sem_wait(&semaphore);
    sem_post(&semaphore);
    sem_post(&semaphore);
    return arg;
}

int main(void) {
    struct timespec when = {1, 0};
    pthread_t thread;
    sem_init(&semaphore, 0, 1);
    pthread_create(&thread, 0, taker, 0);
    sem_wait(&semaphore);
    if (sem_timedwait(&semaphore, &when) == 0) data++;
    pthread_join(thread, 0);
    return 0;
}
