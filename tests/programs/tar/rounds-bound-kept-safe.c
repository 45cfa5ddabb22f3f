// The bound of both loops is a parameter that nothing sets.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// tar: safe
#include <pthread.h>

int x;

void *worker(void *arg) { return x ? arg : NULL; }

void run(int count) {
    pthread_t threads[4];
    for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
    x = 1;
}

int main(void) {
    run(2);
    return 0;
}
