// Figure 1 with release and acquire.
// property: race   truth: safe
// tar: safe
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
atomic_int flag;
int data;

void *producer(void *arg) {
    while (1) {
        while (atomic_load_explicit(&flag, memory_order_acquire) != 0) {}
        data = __VERIFIER_nondet_int();
        atomic_store_explicit(&flag, 1, memory_order_release);
    }
    return NULL;
}

void *consumer(void *arg) {
    int copy = 0;
    while (1) {
        while (atomic_load_explicit(&flag, memory_order_acquire) != 1) {}
        copy = copy + data;
        atomic_store_explicit(&flag, 0, memory_order_release);
    }
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, producer, NULL);
    pthread_create(&second, NULL, consumer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
