// A structure with a mutex that is not in use is returned and assigned.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

struct account open_account(int balance) {
    struct account account;
    pthread_mutex_init(&account.lock, 0);
    account.balance = balance;
    return account;
}

int main(void) {
    struct account account = open_account(1);
    pthread_mutex_lock(&account.lock);
    pthread_mutex_unlock(&account.lock);
    pthread_mutex_destroy(&account.lock);
    account = open_account(2);
    assert(pthread_mutex_trylock(&account.lock) == 0);
    assert(account.balance == 2);
    return 0;
}
