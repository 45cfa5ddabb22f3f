// What sem_trywait, sem_timedwait and sem_getvalue say, and errno with them.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <errno.h>
#include <semaphore.h>

int main(void) {
    sem_t semaphore;
    struct timespec deadline = {3, 4};
    int value;
    sem_init(&semaphore, 0, 1);
    assert(sem_getvalue(&semaphore, &value) == 0 && value == 1);
    assert(sem_trywait(&semaphore) == 0);
    assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    assert(sem_timedwait(&semaphore, &deadline) == -1 && errno == ETIMEDOUT);
    sem_post(&semaphore);
    assert(sem_timedwait(&semaphore, &deadline) == 0);
    assert(sem_getvalue(&semaphore, &value) == 0 && value == 0);
    return 0;
}
