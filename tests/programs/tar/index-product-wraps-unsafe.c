// Products of different indices are the same, because they wrap around.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

int cells[8];

void *worker(void *arg) {
    unsigned index = (unsigned)(long)arg * 0x80000000u;
    if (index < 8) cells[index]++;
    return NULL;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < 3; i++) pthread_create(&thread, NULL, worker, (void *)(long)i);
    pthread_exit(NULL);
}
