// The threads that are joined have started others.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

int x;

void *worker(void *arg);

void *starter(void *arg) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    return arg;
}

void *worker(void *arg) { return x ? arg : NULL; }

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, starter, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    x = 1;
    return 0;
}
