// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
// property: race   truth: safe
// explore: safe   priori: safe   staged: safe
// property: race   model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: locks   truth: safe
// explore: safe   impact: safe   staged: safe
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
//
// A deposit and a withdrawal under one mutex.
#include <assert.h>
#include <pthread.h>

int balance = 100;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *deposit(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    int b = balance;
    balance = b + 50;
    pthread_mutex_unlock(&m);
    return 0;
}

static void *withdraw(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    int b = balance;
    balance = b - 50;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, deposit, 0);
    pthread_create(&t2, 0, withdraw, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(balance == 100);
    return 0;
}
