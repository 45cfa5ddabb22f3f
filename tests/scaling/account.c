// A bank account that N threads use: each pays in, takes out if there is enough, and asks for the balance, under a lock.
// Property race: safe. With -DWRONG every third thread asks for the balance without the lock: unsafe.
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 11
#endif

struct account {
    pthread_mutex_t lock;
    int balance;
    int paid_in;
    int taken_out;
};

struct account account = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0};

static void pay_in(struct account *to, int amount)
{
    pthread_mutex_lock(&to->lock);
    to->balance += amount;
    to->paid_in++;
    pthread_mutex_unlock(&to->lock);
}

static void take_out(struct account *from, int amount)
{
    pthread_mutex_lock(&from->lock);
    if (from->balance >= amount) {
        from->balance -= amount;
        from->taken_out++;
    }
    pthread_mutex_unlock(&from->lock);
}

static int ask(struct account *of)
{
    pthread_mutex_lock(&of->lock);
    int balance = of->balance;
    pthread_mutex_unlock(&of->lock);
    return balance;
}

static int ask_in_a_hurry(struct account *of)
{
    return of->balance;
}

static void *customer(void *argument)
{
    intptr_t id = (intptr_t)argument;
    pay_in(&account, 10 + (int)id);
    take_out(&account, 5);
#ifdef WRONG
    if (id % 3 == 2) return (void *)(intptr_t)ask_in_a_hurry(&account);
#else
    (void)ask_in_a_hurry;
#endif
    return (void *)(intptr_t)ask(&account);
}

int main(void)
{
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++) pthread_create(&threads[i], 0, customer, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    return account.balance;
}
