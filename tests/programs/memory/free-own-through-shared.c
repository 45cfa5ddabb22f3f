// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unknown (unsupported)
//
// A thread frees its own memory through a shared pointer, and then again.
#include <pthread.h>
#include <stdlib.h>

int *pointer;

void *release(void *arg) {
    int *own = malloc(sizeof *own);
    pointer = own;
    free(pointer);
    free(own);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, release, 0);
    pthread_join(thread, 0);
    return pointer != 0;
}
