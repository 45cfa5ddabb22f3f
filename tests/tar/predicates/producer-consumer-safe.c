// Figure 1 of Thread-modular abstraction refinement (CAV 2003): who may access the data depends on a flag.
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
        while (flag != 0) {}
        data = __VERIFIER_nondet_int();
        flag = 1;
    }
    return NULL;
}

void *consumer(void *arg) {
    int copy = 0;
    while (1) {
        while (flag != 1) {}
        copy = copy + data;
        flag = 0;
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
