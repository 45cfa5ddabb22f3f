// The number of a thread is overwritten with another one.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

int x;

void *worker(void *arg) { return x ? arg : NULL; }

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, worker, NULL);
    threads[0] = threads[1];
    pthread_join(threads[0], NULL);
    x = 1;
    return 0;
}
