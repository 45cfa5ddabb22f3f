// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: tso   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: pso   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: ra   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: race   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: locks   truth: safe
// explore: safe   impact: safe   staged: safe
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
//
// A deposit and a withdrawal that do not exclude each other: one of them is lost.
#include <assert.h>
#include <pthread.h>

int balance = 100;

static void *deposit(void *unused)
{
    (void)unused;
    int b = balance;
    balance = b + 50;
    return 0;
}

static void *withdraw(void *unused)
{
    (void)unused;
    int b = balance;
    balance = b - 50;
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
