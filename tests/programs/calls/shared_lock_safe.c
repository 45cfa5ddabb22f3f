// A function takes a lock, calls others that work on what it was given, and releases the lock; both threads call it twice.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

struct account a = {PTHREAD_MUTEX_INITIALIZER, 0};

static int add(struct account *to, int amount) {
    int old = to->balance;
    to->balance = old + amount;
    return old;
}

static int pay_in(struct account *to, int amount) {
    pthread_mutex_lock(&to->lock);
    int old = add(to, amount);
    pthread_mutex_unlock(&to->lock);
    return old;
}

void *customer(void *arg) {
    pay_in(&a, 1);
    pay_in(&a, 2);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, customer, 0);
    int before = pay_in(&a, 3), after = pay_in(&a, 4);
    assert(after - before >= 3);
    pthread_join(thread, 0);
    assert(a.balance == 10);
    return 0;
}
