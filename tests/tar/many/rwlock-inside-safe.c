// Each account has a read-write lock of its own; accounts are allocated, and threads get one or the other.
// property: race   truth: safe
// tar: safe
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct account {
    int money;
    pthread_rwlock_t lock;
};

int look(struct account *account) {
    pthread_rwlock_rdlock(&account->lock);
    int seen = account->money;
    pthread_rwlock_unlock(&account->lock);
    return seen;
}

void pay(struct account *account, int sum) {
    pthread_rwlock_wrlock(&account->lock);
    account->money += sum;
    pthread_rwlock_unlock(&account->lock);
}

void *run(void *arg) {
    struct account *account = arg;
    if (look(account) < 10) pay(account, 1);
    return 0;
}

int main(void) {
    struct account *one = malloc(sizeof *one), *two = malloc(sizeof *two);
    if (one == 0 || two == 0) return 1;
    one->money = two->money = 0;
    pthread_rwlock_init(&one->lock, 0);
    pthread_rwlock_init(&two->lock, 0);
    while (__VERIFIER_nondet_int()) {
        pthread_t thread;
        pthread_create(&thread, 0, run, __VERIFIER_nondet_int() ? one : two);
    }
    pthread_exit(0);
}
