// A thread joins what may not have been made: nothing is claimed about the program.
// property: unreach   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>

pthread_t worker_id;
int data;

void *worker(void *arg) {
    data = 1;
    return 0;
}

void *cleaner(void *arg) {
    pthread_join(worker_id, 0);
    assert(data == 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, cleaner, 0);
    pthread_create(&worker_id, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
