// An array of structures is cleared byte by byte while a mutex in it is held.
// property: unreach   truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>

struct account {
    int balance;
    pthread_mutex_t lock;
} accounts[3];

int main(void) {
    pthread_mutex_lock(&accounts[1].lock);
    for (unsigned i = 0; i < sizeof accounts; i++) ((char *)accounts)[i] = 0;
    assert(pthread_mutex_trylock(&accounts[1].lock) != 0);
    return 0;
}
