// The life of a block ends when free is executed, and the store before it may be seen later.
// property: memory   model: sc   truth: safe
// explore: safe   impact: safe   staged: safe
// property: memory   model: tso   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// property: memory   model: pso   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <pthread.h>
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
    free(shared);
    pthread_join(thread, 0);
    return 0;
}
