// A function ends the thread of its caller, whose variable another thread uses.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

void *reader(void *cell) {
    *(int *)cell = 1;
    return NULL;
}

void finish(void) { pthread_exit(NULL); }

void *worker(void *arg) {
    int cell = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, reader, &cell);
    finish();
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_exit(NULL);
}
