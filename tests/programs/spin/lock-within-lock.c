// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// The lock that is held is let go, and another one taken meanwhile: others need two iterations to pass both.
#include <pthread.h>

extern void reach_error(void);
extern void __VERIFIER_assume(int);

pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
_Atomic int begun, done;

static void *spinner(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&held);
    begun = 1;
    while (!done) {
        pthread_mutex_lock(&inner);
        pthread_mutex_unlock(&held);
        pthread_mutex_lock(&held);
        pthread_mutex_unlock(&inner);
    }
    reach_error();
    return 0;
}

int main(void)
{
    pthread_t id;
    pthread_create(&id, 0, spinner, 0);
    __VERIFIER_assume(begun);
    pthread_mutex_lock(&held);
    pthread_mutex_unlock(&held);
    pthread_mutex_lock(&inner);
    pthread_mutex_unlock(&inner);
    pthread_mutex_lock(&held);
    pthread_mutex_unlock(&held);
    done = 1;
    pthread_join(id, 0);
    return 0;
}
