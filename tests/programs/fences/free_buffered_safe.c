// A store that is still in the buffer when its thread frees the block came before, and nothing is left of it.
// property: memory   model: tso   truth: safe
// explore: safe   impact: safe   staged: safe
// property: memory   model: pso   truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *shared, done;

static void *worker(void *unused) {
    *shared = 7;
    assert(*shared == 7);
    free(shared);
    int *again = malloc(sizeof *again);
    shared = again;
    *again = 8;
    assert(*again == 8);
    free(again);
    return unused;
}

int main(void) {
    pthread_t thread;
    shared = malloc(sizeof *shared);
    *shared = 1;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    return 0;
}
