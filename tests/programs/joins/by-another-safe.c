// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race   truth: safe
// explore: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
//
// The thread that joins was started before the one that is joined, which another thread starts.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t started;
pthread_t worker_id;
int data;

void *worker(void *arg) {
    data = 1;
    return (void *)7;
}

void *cleaner(void *arg) {
    void *result;
    sem_wait(&started);
    pthread_join(worker_id, &result);
    assert(data == 1 && result == (void *)7);
    return 0;
}

int main(void) {
    pthread_t t;
    sem_init(&started, 0, 0);
    pthread_create(&t, 0, cleaner, 0);
    pthread_create(&worker_id, 0, worker, 0);
    sem_post(&started);
    pthread_join(t, 0);
    return 0;
}
