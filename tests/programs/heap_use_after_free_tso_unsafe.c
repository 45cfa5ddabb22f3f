// A store that waits in a store buffer is an access when it is made, so that the block must be alive then.
// property: memory     model: tso   truth: unsafe
// explore: unsafe   staged: unsafe
// property: memory     model: pso   truth: unsafe
// explore: unsafe   staged: unsafe
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
