// The addresses of different indices are the same, because a product wraps around.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

int cells[8];

void *worker(void *arg) {
    (*(int *)arg)++;
    return NULL;
}

int main(void) {
    pthread_t thread;
    for (unsigned long i = 0; i < 3; i++) pthread_create(&thread, NULL, worker, &cells[i * 0x4000000000000000]);
    pthread_exit(NULL);
}
