// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A thread joins one that was started later and waits for what nobody does.
#include <pthread.h>
#include <semaphore.h>

sem_t started, never;
pthread_t worker_id;

void *worker(void *arg) {
    sem_wait(&never);
    return 0;
}

void *cleaner(void *arg) {
    sem_wait(&started);
    pthread_join(worker_id, 0);
    return 0;
}

int main(void) {
    pthread_t t;
    sem_init(&started, 0, 0);
    sem_init(&never, 0, 0);
    pthread_create(&t, 0, cleaner, 0);
    pthread_create(&worker_id, 0, worker, 0);
    sem_post(&started);
    pthread_join(t, 0);
    return 0;
}
