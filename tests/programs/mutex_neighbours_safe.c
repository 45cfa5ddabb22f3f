// Everything around a mutex that is held is written, in all the ways that can be thought of.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: memory    truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct account {
    char name[4];
    char more[4];
    pthread_mutex_t lock;
    int numbers[3];
    char tail[4];
};

static struct account fixed;

static void clear(char *bytes, size_t count) {
    while (count--) *bytes++ = 0;
}

static void fill(struct account *account) {
    for (int i = 0; i < 4; i++) account->name[i] = 'a';
    for (char *at = account->more; at != account->more + 4; at++) *at = 'b';
    for (int i = 0; i < 3; i++) account->numbers[i] = i;
    strcpy(account->name, "abc");
    strcpy(account->tail, "abc");
    memset(account->more, 0, 2);
    clear(account->more, sizeof account->more);
    clear(account->tail, sizeof account->tail);
}

int main(void) {
    char few[1], other[9];
    clear(few, sizeof few);
    clear(other, sizeof other);
    strcpy(other, "12345678");
    struct account *account = malloc(sizeof *account);
    clear((char *)account, sizeof *account);
    pthread_mutex_init(&account->lock, NULL);
    pthread_mutex_lock(&account->lock);
    pthread_mutex_lock(&fixed.lock);
    fill(account);
    fill(&fixed);
    assert(pthread_mutex_trylock(&account->lock) != 0);
    assert(pthread_mutex_trylock(&fixed.lock) != 0);
    return 0;
}
