// One of the accesses is not atomic.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

int count;

void *worker(void *arg) {
    __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    count = 2;
    return 0;
}
