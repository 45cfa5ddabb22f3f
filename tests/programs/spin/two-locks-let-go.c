// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// Two locks are let go one after the other; to take them the other way round takes two iterations.
#include <pthread.h>

extern void reach_error(void);
extern void __VERIFIER_assume(int);

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
_Atomic int begun, done;

static void *spinner(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    begun = 1;
    while (!done) {
        pthread_mutex_unlock(&a);
        pthread_mutex_lock(&a);
        pthread_mutex_unlock(&b);
        pthread_mutex_lock(&b);
    }
    reach_error();
    return 0;
}

int main(void)
{
    pthread_t id;
    pthread_create(&id, 0, spinner, 0);
    __VERIFIER_assume(begun);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    done = 1;
    pthread_join(id, 0);
    return 0;
}
