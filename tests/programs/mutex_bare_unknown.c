// A mutex in memory that was allocated and never initialised.
// property: unreach    truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct account {
    int balance;
    pthread_mutex_t lock;
};

int main(void) {
    struct account *account = malloc(sizeof *account);
    pthread_mutex_lock(&account->lock);
    account->balance = 1;
    pthread_mutex_unlock(&account->lock);
    assert(account->balance == 1);
    return 0;
}
