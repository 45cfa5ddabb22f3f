// What lies beside the mutexes of an array is written while they are held, by indices and by a pointer that is moved on.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

struct account {
    int balance;
    pthread_mutex_t lock;
    int number;
} accounts[3];

int main(void) {
    for (int i = 0; i < 3; i++) pthread_mutex_lock(&accounts[i].lock);
    for (int i = 0; i < 3; i++) accounts[i].balance = i;
    for (struct account *a = accounts; a < accounts + 3; a++) a->number = 1;
    for (int i = 0; i < 3; i++) pthread_mutex_unlock(&accounts[i].lock);
    assert(accounts[2].balance + accounts[2].number == 3);
    return 0;
}
