// The index is cut down to a byte.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

int cells[8];

void *worker(void *arg) {
    unsigned char index = (unsigned char)((long)arg * 128);
    if (index < 8) cells[index]++;
    return NULL;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < 3; i++) pthread_create(&thread, NULL, worker, (void *)(long)i);
    pthread_exit(NULL);
}
