// A semaphore of value 2 lets both threads in.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race       truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
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
    sem_init(&semaphore, 0, 2);
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(count == 2);
    sem_destroy(&semaphore);
    return 0;
}
