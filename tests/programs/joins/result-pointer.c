// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race   truth: safe
// explore: safe   priori: safe   staged: safe
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
//
// What a thread that was started later returns is a pointer, which is followed after the join.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t started;
pthread_t worker_id;
int cells[2];

void *worker(void *arg) {
    cells[1] = 5;
    return &cells[1];
}

void *cleaner(void *arg) {
    void *result;
    sem_wait(&started);
    pthread_join(worker_id, &result);
    assert(*(int *)result == 5);
    *(int *)result = 6;
    assert(cells[1] == 6 && cells[0] == 0);
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
