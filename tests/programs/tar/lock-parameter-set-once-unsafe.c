// The same in a function that is called, on one way only, with a read-write lock.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

struct account {
    int money;
    pthread_rwlock_t lock;
    struct account *main;
} first = {0, PTHREAD_RWLOCK_INITIALIZER, &first}, second = {0, PTHREAD_RWLOCK_INITIALIZER, &first};

static void pay(struct account *account) {
    struct account *given = account;
    if (account->main != account) account = account->main;
    pthread_rwlock_wrlock(&given->lock);
    account->money++;
    pthread_rwlock_unlock(&given->lock);
}

void *run(void *arg) {
    pay(arg);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, run, &first);
    pthread_create(&two, 0, run, &second);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
