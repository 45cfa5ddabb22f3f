// Two threads start threads with the same indices.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

int cells[8];

void *worker(void *arg);

void *starter(void *arg) {
    pthread_t thread;
    for (long i = 0; i < 2; i++) pthread_create(&thread, NULL, worker, (void *)i);
    return arg;
}

void *worker(void *arg) {
    cells[(long)arg]++;
    return NULL;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < 2; i++) pthread_create(&thread, NULL, starter, NULL);
    pthread_exit(NULL);
}
