// The bound of the loop that joins is a parameter that was set in between.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

int x;

void *worker(void *arg) { return x ? arg : NULL; }

void run(int count) {
    pthread_t threads[4];
    for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, worker, NULL);
    count = 1;
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
    x = 1;
}

int main(void) {
    run(2);
    return 0;
}
