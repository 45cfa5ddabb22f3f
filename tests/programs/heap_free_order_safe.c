// The block is freed after the thread that uses it has ended.
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
// property: race       truth: safe
// explore: safe   priori: safe   staged: safe
#include <pthread.h>
#include <stdlib.h>

void *worker(void *arg) {
    *(int *)arg = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    int *block = malloc(sizeof *block);
    pthread_create(&thread, 0, worker, block);
    pthread_join(thread, 0);
    free(block);
    return 0;
}
