// property: atomicity   truth: safe
// explore: safe   staged: safe
// property: atomicity   region: wait   truth: unsafe
// explore: unsafe   staged: unsafe
//
// Who waits for another thread cannot mean to be alone. Two rounds of one loop are the two accesses.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

atomic_int ready;

void wait(void) {
    while (!atomic_load(&ready))
        ;
}

void *other(void *unused) {
    atomic_store(&ready, 1);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    wait();
    pthread_join(thread, NULL);
    return 0;
}
