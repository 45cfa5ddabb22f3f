// A block freed by both threads.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <pthread.h>
#include <stdlib.h>

char *block;

void *worker(void *arg) {
    free(block);
    return arg;
}

int main(void) {
    pthread_t thread;
    block = malloc(10);
    pthread_create(&thread, 0, worker, 0);
    free(block);
    pthread_join(thread, 0);
    return 0;
}
