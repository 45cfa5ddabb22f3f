// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe

/* Freeing memory is a write of it: nothing orders it after the other thread's read. */
#include <pthread.h>
#include <stdlib.h>

int *shared;

void *read_it(void *unused) { return (void *)(long)*shared; }

int main(void) {
    pthread_t thread;
    shared = malloc(sizeof *shared);
    *shared = 1;
    pthread_create(&thread, 0, read_it, 0);
    free(shared);
    return 0;
}
