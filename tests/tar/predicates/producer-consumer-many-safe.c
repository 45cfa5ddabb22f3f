// Figure 1 of Thread-modular abstraction refinement (CAV 2003) for any number of producers and consumers: who takes the
// flag is alone with the data.
// property: race   truth: safe
// tar: safe
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
pthread_mutex_t producers = PTHREAD_MUTEX_INITIALIZER, consumers = PTHREAD_MUTEX_INITIALIZER;
atomic_int flag;
int data;

void *producer(void *arg) {
    while (1) {
        pthread_mutex_lock(&producers);
        if (flag == 0) {
            data = __VERIFIER_nondet_int();
            flag = 1;
        }
        pthread_mutex_unlock(&producers);
    }
    return NULL;
}

void *consumer(void *arg) {
    int copy = 0;
    while (1) {
        pthread_mutex_lock(&consumers);
        if (flag == 1) {
            copy = copy + data;
            flag = 0;
        }
        pthread_mutex_unlock(&consumers);
    }
    return NULL;
}

int main(void) {
    pthread_t id;
    while (1) {
        pthread_create(&id, NULL, producer, NULL);
        pthread_create(&id, NULL, consumer, NULL);
    }
}
