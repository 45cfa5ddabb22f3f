// What the thread reads is freed while it runs.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

void *reader(void *arg) { return *(int *)arg ? arg : NULL; }

int main(void) {
    pthread_t thread;
    int *cell = malloc(sizeof *cell);
    *cell = 1;
    pthread_create(&thread, NULL, reader, cell);
    free(cell);
    return 0;
}
