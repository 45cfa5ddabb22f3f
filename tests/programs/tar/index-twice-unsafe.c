// Two loops start threads with the same indices.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

int cells[2];

void *worker(void *arg) {
    long i = (long)arg;
    cells[i] = 1;
    return NULL;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < 2; i++) pthread_create(&thread, NULL, worker, (void *)(long)i);
    for (int i = 0; i < 2; i++) pthread_create(&thread, NULL, worker, (void *)(long)i);
    return 0;
}
