// A function starts two threads with the same index.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

int cells[8];

void *worker(void *arg);

void start(long index) {
    pthread_t thread;
    for (int i = 0; i < 2; i++) pthread_create(&thread, NULL, worker, (void *)index);
}

void *worker(void *arg) {
    cells[(long)arg]++;
    return NULL;
}

int main(void) {
    pthread_t thread;
    for (long i = 0; i < 2; i++) start(i);
    (void)thread;
    pthread_exit(NULL);
}
