// Mutexes inside heap objects and arrays have states of their own.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   priori: safe   staged: safe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct account {
    int balance;
    pthread_mutex_t mutex;
};

struct account *accounts;

void *worker(void *arg) {
    struct account *mine = arg;
    pthread_mutex_lock(&mine->mutex);
    mine->balance += 5;
    pthread_mutex_unlock(&mine->mutex);
    return 0;
}

int main(void) {
    pthread_t thread;
    accounts = calloc(2, sizeof *accounts);
    pthread_mutex_init(&accounts[0].mutex, 0);
    pthread_mutex_init(&accounts[1].mutex, 0);
    pthread_mutex_lock(&accounts[0].mutex);
    pthread_create(&thread, 0, worker, &accounts[1]);
    pthread_join(thread, 0);
    assert(accounts[1].balance == 5 && accounts[0].balance == 0);
    pthread_mutex_unlock(&accounts[0].mutex);
    free(accounts);
    return 0;
}
