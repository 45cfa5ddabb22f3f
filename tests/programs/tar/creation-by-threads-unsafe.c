// A thread starts another of its kind, and both write.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

int data;

void *worker(void *arg) {
    pthread_t next;
    if (arg) pthread_create(&next, NULL, worker, NULL);
    data = 1;
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, &data);
    return 0;
}
