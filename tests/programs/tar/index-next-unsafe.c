// Each thread also writes the element of its neighbour.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

int cells[4];

void *worker(void *arg) {
    long i = (long)arg;
    cells[i] = 1;
    cells[i + 1] = 2;
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, worker, (void *)(long)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return cells[0];
}
