// Mutexes that are cleared, initialised, used and destroyed, again and again.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: unknown (unsupported)
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct account {
    int balance;
    pthread_mutex_t lock;
};

struct account *open_account(int balance) {
    struct account *account = malloc(sizeof *account);
    memset(account, 0, sizeof *account);
    pthread_mutex_init(&account->lock, 0);
    account->balance = balance;
    return account;
}

void *deposit(void *arg) {
    struct account *account = arg;
    pthread_mutex_lock(&account->lock);
    account->balance++;
    pthread_mutex_unlock(&account->lock);
    return 0;
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
        struct account *account = open_account(i);
        pthread_t thread;
        pthread_create(&thread, 0, deposit, account);
        deposit(account);
        pthread_join(thread, 0);
        pthread_mutex_lock(&guard);
        assert(account->balance == i + 2);
        pthread_mutex_unlock(&guard);
        pthread_mutex_destroy(&guard);
        pthread_mutex_destroy(&account->lock);
        free(account);
    }
    return 0;
}
