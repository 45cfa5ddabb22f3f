// Figure 1 with a flag that is set too early.
// property: race   truth: unsafe
// tar: unknown
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
atomic_int flag;
int data;

void *producer(void *arg) {
    while (1) {
        while (flag != 0) {}
        flag = 1;
        data = __VERIFIER_nondet_int();
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
