// Each thread writes the element whose index it was given.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// tar: safe
#include <pthread.h>
#include <stdlib.h>

int cells[3];

void *worker(void *arg) {
    long i = (long)arg;
    cells[i] = 1;
    cells[i]++;
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, worker, (void *)(long)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return cells[0];
}
