// The bound was never set when threads are started.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

int x;

void *worker(void *arg) { return x ? arg : NULL; }

int main(void) {
    pthread_t threads[4];
    int count;
    if (count < 0 || count > 2) return 0;
    for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, worker, NULL);
    count = 1;
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
    x = 1;
    return 0;
}
