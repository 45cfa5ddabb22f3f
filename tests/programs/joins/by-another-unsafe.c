// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: deadlock   truth: safe
// explore: unknown (inputs)   impact: safe   staged: safe
//
// The thread that joins was started before those that are joined, and joins one of two.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

extern int __VERIFIER_nondet_int(void);

sem_t started;
pthread_t workers[2];
int which, data;

void *worker(void *arg) {
    if (arg)
        data = 1;
    return 0;
}

void *cleaner(void *arg) {
    sem_wait(&started);
    pthread_join(workers[which & 1], 0);
    assert(data == 1);
    return 0;
}

int main(void) {
    pthread_t t;
    which = __VERIFIER_nondet_int();
    sem_init(&started, 0, 0);
    pthread_create(&t, 0, cleaner, 0);
    pthread_create(&workers[0], 0, worker, 0);
    pthread_create(&workers[1], 0, worker, &data);
    sem_post(&started);
    pthread_join(t, 0);
    return 0;
}
