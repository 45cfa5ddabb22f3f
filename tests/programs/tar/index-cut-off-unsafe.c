// What tells the indices apart is cut off.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

int cells[8];

void *worker(void *arg) {
    int index = (int)(long)arg;
    if (index >= 0 && index < 8) cells[index]++;
    return NULL;
}

int main(void) {
    pthread_t thread;
    for (long i = 0; i < 2; i++) pthread_create(&thread, NULL, worker, (void *)(i * 4294967296));
    pthread_exit(NULL);
}
