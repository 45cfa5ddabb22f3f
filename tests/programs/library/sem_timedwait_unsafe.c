// sem_timedwait reads the seconds too.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

struct timespec when = {1, 0};
sem_t semaphore;

void *change(void *arg) {
    when.tv_sec = 5;
    return arg;
}

int main(void) {
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, 0, change, 0);
    sem_timedwait(&semaphore, &when);
    pthread_join(thread, 0);
    return 0;
}
