// The index was computed before the loop that starts the threads.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

int cells[8];
volatile int zero;

void *worker(void *arg) {
    long i = (long)arg;
    cells[i]++;
    return NULL;
}

int main(void) {
    pthread_t thread;
    int i = zero;
    long first = i;
    for (; i < 3; i++) pthread_create(&thread, NULL, worker, (void *)(first & 7));
    return 0;
}
