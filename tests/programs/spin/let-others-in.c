// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// The lock is held at the head of the loop, and only by releasing it in an iteration can the other thread move: the
// first iteration is needed although it changes nothing.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int turns;

static void *other(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    turns = 1;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, other, 0);
    while (turns == 0) {
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
    }
    assert(turns == 0);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
