// An index in memory that is kept below a bound.
// property: race   truth: safe
// explore: safe   priori: safe   staged: safe
// tar: safe
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int cells[4];
int next;

void *worker(void *arg) {
    pthread_mutex_lock(&mutex);
    cells[next & 3]++;
    next = (next + 1) & 7;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    return 0;
}
