// A semaphore of value 1 is a mutex.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach    model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach    model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach    model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t semaphore;
int count;

void *worker(void *arg) {
    sem_wait(&semaphore);
    count++;
    sem_post(&semaphore);
    return arg;
}

int main(void) {
    pthread_t first, second;
    sem_init(&semaphore, 0, 1);
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(count == 2);
    sem_destroy(&semaphore);
    return 0;
}
