// What the thread reads is freed after it was joined.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// tar: safe
#include <pthread.h>
#include <stdlib.h>

void *reader(void *arg) { return *(int *)arg ? NULL : arg; }

int main(void) {
    pthread_t thread;
    int *cell = malloc(sizeof *cell);
    *cell = 1;
    pthread_create(&thread, NULL, reader, cell);
    pthread_join(thread, NULL);
    free(cell);
    return 0;
}
