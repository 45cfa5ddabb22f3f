// One thread may free the block before the other writes to it.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// property: race       truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <stdlib.h>

int *block;

void *worker(void *arg) {
    *block = 1;
    return arg;
}

int main(void) {
    pthread_t thread;
    block = malloc(sizeof *block);
    pthread_create(&thread, 0, worker, 0);
    free(block);
    pthread_join(thread, 0);
    return 0;
}
