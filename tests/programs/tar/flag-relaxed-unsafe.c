// A relaxed flag orders nothing.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

int data;
int ready;

void *writer(void *arg) {
    data = 1;
    __atomic_store_n(&ready, 1, __ATOMIC_RELAXED);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    if (__atomic_load_n(&ready, __ATOMIC_RELAXED)) return data;
    return 0;
}
