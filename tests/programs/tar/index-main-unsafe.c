// Each thread has an element of its own, but main writes one too.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

int cells[3];

void *worker(void *arg) {
    long i = (long)arg;
    cells[i] = 1;
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, worker, (void *)(long)i);
    cells[1] = 2;
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 0;
}
