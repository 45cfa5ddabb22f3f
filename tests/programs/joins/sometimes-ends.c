// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// The joined thread ends on one path and waits for ever on the other; who joins it sees the first only.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t started, never;
pthread_t worker_id;
_Atomic int turn, seen;

void *worker(void *arg) {
    if (turn) {
        seen = 1;
        pthread_exit(0);
    }
    sem_wait(&never);
    return 0;
}

void *cleaner(void *arg) {
    sem_wait(&started);
    pthread_join(worker_id, 0);
    assert(seen == 1);
    return 0;
}

int main(void) {
    pthread_t t;
    sem_init(&started, 0, 0);
    sem_init(&never, 0, 0);
    pthread_create(&t, 0, cleaner, 0);
    pthread_create(&worker_id, 0, worker, 0);
    sem_post(&started);
    turn = 1;
    pthread_join(t, 0);
    return 0;
}
