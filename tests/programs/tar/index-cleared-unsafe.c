// Each thread clears its own cell and the next one.
// property: race   truth: unsafe
// explore: unsafe   priori: unsafe
// tar: unknown
#include <pthread.h>
#include <string.h>

int cells[8];

void *worker(void *arg) {
    int *own = &cells[(long)arg];
    memset(own, 0, 8);
    return NULL;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread, NULL, worker, (void *)(long)i);
    pthread_exit(NULL);
}
