// Two threads are given the same index.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

int cells[3];

void *worker(void *arg) {
    long i = (long)arg;
    cells[i]++;
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, worker, (void *)(long)(i / 2));
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return cells[0];
}
