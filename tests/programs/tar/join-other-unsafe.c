// Main joins one thread and reads what the other writes.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

int data;

void *writer(void *arg) {
    data = 1;
    return arg;
}

void *idle(void *arg) { return arg; }

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, idle, NULL);
    pthread_join(two, NULL);
    return data;
}
