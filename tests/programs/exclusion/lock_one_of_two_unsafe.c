// One writer is kept out by the lock, another is not.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

void *polite(void *arg) {
    pthread_mutex_lock(&mutex);
    shared = 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}

void *rude(void *arg) {
    shared = 2;
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, polite, 0);
    pthread_create(&second, 0, rude, 0);
    pthread_mutex_lock(&mutex);
    int before = shared;
    int after = shared;
    pthread_mutex_unlock(&mutex);
    assert(before == after || before == 1);
    return 0;
}
