// A thread that joins one that never ends waits for ever: that is an execution, too.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *blocked(void *unused) {
    pthread_mutex_lock(&m);
    return 0;
}

void *failing(void *unused) {
    assert(0);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_mutex_lock(&m);
    pthread_create(&a, 0, blocked, 0);
    pthread_create(&b, 0, failing, 0);
    pthread_join(a, 0);
    return 0;
}
