// What was written before a wait without end others see.
// property: unreach   truth: unsafe
// tar: unknown
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int x;
void *thread(void *arg) {
    assert(x == 0);
    return NULL;
}
int main(void) {
    sem_t never;
    pthread_t id;
    sem_init(&never, 0, 0);
    pthread_create(&id, NULL, thread, NULL);
    x = 1;
    sem_wait(&never);
    return 0;
}
