// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// Which lock the loop lets go is only known when the program runs; the other thread needs both.
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int turns;

static void *other(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    turns = 1;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_t *m = __VERIFIER_nondet_bool() ? &a : &b;
    pthread_create(&t, 0, other, 0);
    pthread_mutex_lock(m);
    int before = turns;
    while (turns == 0) {
        pthread_mutex_unlock(m);
        pthread_mutex_lock(m);
    }
    assert(before == 1);
    pthread_mutex_unlock(m);
    pthread_join(t, 0);
    return 0;
}
