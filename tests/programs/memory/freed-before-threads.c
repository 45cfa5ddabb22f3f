// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// Memory that is freed before the first thread starts is freed again after that.
#include <pthread.h>
#include <stdlib.h>

int *shared;

void *nothing(void *unused) {
    free(shared);
    return 0;
}

int main(void) {
    pthread_t thread;
    shared = malloc(sizeof *shared);
    free(shared);
    pthread_create(&thread, 0, nothing, 0);
    pthread_join(thread, 0);
    return 0;
}
