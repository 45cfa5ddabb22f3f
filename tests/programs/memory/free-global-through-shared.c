// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A thread frees what a shared pointer points to: a variable.
#include <pthread.h>
#include <stdlib.h>

int variable;
int *pointer;

void *release(void *arg) {
    free(pointer);
    return 0;
}

int main(void) {
    pthread_t thread;
    pointer = &variable;
    pthread_create(&thread, 0, release, 0);
    pthread_join(thread, 0);
}
