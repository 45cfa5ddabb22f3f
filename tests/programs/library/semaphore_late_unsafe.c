// A wait that times out synchronises with nothing: not with the thread that took what it waited for.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

sem_t semaphore;
int data;

void *taker(void *arg) {
    data = 1;
    sem_wait(&semaphore);
    
    return arg;
}

int main(void) {
    struct timespec when = {1, 0};
    pthread_t thread;
    sem_init(&semaphore, 0, 1);
    pthread_create(&thread, 0, taker, 0);
    if (sem_timedwait(&semaphore, &when) != 0) data++;
    pthread_join(thread, 0);
    return 0;
}
