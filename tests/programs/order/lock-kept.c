// Of two threads that take a lock and keep it, one waits for ever: that is an execution, too.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *taker(void *unused) {
    pthread_mutex_lock(&m);
    x++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, taker, 0);
    pthread_create(&b, 0, taker, 0);
    assert(x == 0);
    return 0;
}
