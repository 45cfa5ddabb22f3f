// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// Every iteration lets the counter go on by at most one, or remembers that it did not: to come to two without that takes
// two iterations, each of which leaves everything as it was.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int counter, has_jumped;

static void *counting(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    counter++;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    counter++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t id;
    pthread_mutex_lock(&m);
    pthread_create(&id, 0, counting, 0);
    while (counter < 2) {
        int before = counter;
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
        if (counter > before + 1) has_jumped = 1;
    }
    assert(has_jumped);
    pthread_mutex_unlock(&m);
    pthread_join(id, 0);
    return 0;
}
