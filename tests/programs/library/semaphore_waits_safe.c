// A post synchronises with a wait after it.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

sem_t semaphore;
atomic_int flag;
int data;

void *first(void *arg) {
    data = 1;
    sem_post(&semaphore);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

void *second(void *arg) {
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        sem_wait(&semaphore);
        data++;
    }
    return arg;
}

int main(void) {
    pthread_t one, two;
    sem_init(&semaphore, 0, 2);
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
