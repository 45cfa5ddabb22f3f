// What lies beside a mutex that is locked through a pointer from memory is written.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct account {
    int balance;
    pthread_mutex_t lock;
    int number;
};

pthread_mutex_t *lock;
struct account *account;

int main(void) {
    account = calloc(1, sizeof *account);
    lock = &account->lock;
    pthread_mutex_lock(lock);
    account->balance = 1;
    account->number = 2;
    assert(account->balance == 1);
    pthread_mutex_unlock(lock);
    return 0;
}
