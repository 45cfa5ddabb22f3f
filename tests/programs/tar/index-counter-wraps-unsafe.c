// The counter takes the same value again, because it wraps around.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

int cells[8];

void *worker(void *arg) {
    long index = (long)arg;
    if (index < 8) cells[index]++;
    return NULL;
}

int main(void) {
    pthread_t thread;
    unsigned index = 0;
    for (int i = 0; i < 3; i++) {
        pthread_create(&thread, NULL, worker, (void *)(unsigned long)index);
        index += 0x80000000u;
    }
    pthread_exit(NULL);
}
