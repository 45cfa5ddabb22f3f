// A semaphore is used after it was destroyed, by a function that is given it.
// property: locks    truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <semaphore.h>

struct pool {
    int count;
    sem_t free;
} pool;

void take(sem_t *semaphore) { sem_wait(semaphore); }

int main(void) {
    sem_init(&pool.free, 0, 1);
    sem_destroy(&pool.free);
    take(&pool.free);
    return 0;
}
