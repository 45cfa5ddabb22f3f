// Two threads count under a spin lock.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach    model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach    model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach    model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_spinlock_t lock;
int count;

void *worker(void *arg) {
    pthread_spin_lock(&lock);
    count++;
    pthread_spin_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(count == 2);
    assert(pthread_spin_trylock(&lock) == 0);
    assert(pthread_spin_trylock(&lock) == EBUSY);
    pthread_spin_unlock(&lock);
    pthread_spin_destroy(&lock);
    return 0;
}
