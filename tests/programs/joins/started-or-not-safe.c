// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
//
// Which of two threads is started is not known, and the one that is gets joined by a third.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

extern _Bool __VERIFIER_nondet_bool(void);

sem_t started;
pthread_t worker_id;
int data;

void *one(void *arg) {
    data = 1;
    return 0;
}

void *two(void *arg) {
    data = 2;
    return 0;
}

void *cleaner(void *arg) {
    sem_wait(&started);
    pthread_join(worker_id, 0);
    assert(data == 1 || data == 2);
    return 0;
}

int main(void) {
    pthread_t t;
    sem_init(&started, 0, 0);
    pthread_create(&t, 0, cleaner, 0);
    if (__VERIFIER_nondet_bool())
        pthread_create(&worker_id, 0, one, 0);
    else
        pthread_create(&worker_id, 0, two, 0);
    sem_post(&started);
    pthread_join(t, 0);
    return 0;
}
