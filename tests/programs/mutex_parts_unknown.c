// A mutex that is held is written in parts: in practice it is free then.
// property: unreach    truth: unsafe   args: -DLOOP
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   staged: unknown (unmodelled)
// property: unreach    truth: unsafe   args: -DMOVES
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   staged: unknown (unmodelled)
// property: unreach    truth: unsafe   args: -DFUNCTION
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   staged: unknown (unmodelled)
// property: unreach    truth: unsafe   args: -DPIECES
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   staged: unknown (unmodelled)
// property: unreach    truth: unsafe   args: -DMEMBER
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   staged: unknown (unmodelled)
// property: unreach    truth: unsafe   args: -DTEXT
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   staged: unknown (unmodelled)
// property: unreach    truth: unsafe   args: -DBACK
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct account {
    char name[16];
    pthread_mutex_t lock;
    int balance;
};

static void clear(char *bytes, size_t count) {
    while (count--) *bytes++ = 0;
}

int main(void) {
    struct account *account = calloc(1, sizeof *account);
    pthread_mutex_init(&account->lock, NULL);
    pthread_mutex_lock(&account->lock);
#ifdef LOOP
    for (size_t i = 0; i < sizeof *account; i++) ((char *)account)[i] = 0;
#endif
#ifdef MOVES
    char *end = (char *)(account + 1);
    for (char *at = account->name; at != end; at++) *at = 0;
#endif
#ifdef BACK
    for (char *at = (char *)(account + 1); at != account->name;) *--at = 0;
#endif
#ifdef FUNCTION
    char others[8];
    clear(others, sizeof others);
    clear((char *)&account->lock, sizeof account->lock);
#endif
#ifdef PIECES
    memset((char *)account, 0, 20);
    memset((char *)account + 20, 0, 20);
#endif
#ifdef MEMBER
    *(long *)&account->lock = 0;
#endif
#ifdef TEXT
    strcpy(account->name, "0123456789012345");
#endif
    assert(pthread_mutex_trylock(&account->lock) != 0);
    return 0;
}
