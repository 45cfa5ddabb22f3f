// A number is written over a mutex that is locked through a pointer from memory.
// property: unreach   truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct account {
    int balance;
    pthread_mutex_t lock;
};

pthread_mutex_t *lock;
struct account *account;

int main(void) {
    account = calloc(1, sizeof *account);
    lock = &account->lock;
    pthread_mutex_lock(lock);
    account->balance = 1;
    ((int *)account)[2] = 0;
    assert(pthread_mutex_trylock(lock) != 0);
    return 0;
}
