// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// An iteration that takes a lock and releases it leaves nothing behind, but an attempt to take the lock may fail meanwhile.
#include <pthread.h>

extern void reach_error(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
_Atomic int done, failed;

static void *spinner(void *unused)
{
    (void)unused;
    while (!done) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    if (failed) {
        reach_error();
    }
    return 0;
}

int main(void)
{
    pthread_t id;
    pthread_create(&id, 0, spinner, 0);
    if (pthread_mutex_trylock(&m) != 0) {
        failed = 1;
    } else {
        pthread_mutex_unlock(&m);
    }
    done = 1;
    pthread_join(id, 0);
    return 0;
}
