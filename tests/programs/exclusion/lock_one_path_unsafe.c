// A lock that is taken on one path only keeps nobody out on the other.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;
_Bool __VERIFIER_nondet_bool(void);

void *writer(void *arg) {
    pthread_mutex_lock(&mutex);
    shared = 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    _Bool locks = __VERIFIER_nondet_bool();
    if (locks)
        pthread_mutex_lock(&mutex);
    int before = shared;
    int after = shared;
    if (locks)
        pthread_mutex_unlock(&mutex);
    assert(before == after);
    return 0;
}
