// The same with a fence between the store and the end of the block's life.
// property: memory   model: tso   truth: safe
// explore: safe   impact: safe   staged: safe
// property: memory   model: pso   truth: safe
// explore: safe   impact: safe   staged: safe
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int *shared, gone, found;

static void *reader(void *unused) {
    __VERIFIER_atomic_begin();
    if (!gone) found = *shared;
    __VERIFIER_atomic_end();
    return unused;
}

int main(void) {
    pthread_t thread;
    shared = malloc(sizeof *shared);
    *shared = 1;
    pthread_create(&thread, 0, reader, 0);
    gone = 1;
    atomic_thread_fence(memory_order_seq_cst);
    free(shared);
    pthread_join(thread, 0);
    return 0;
}
