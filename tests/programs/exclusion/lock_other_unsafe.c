// A writer under another lock comes between two reads.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race      truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
int shared;

void *writer(void *arg) {
    pthread_mutex_lock(&other);
    shared = 1;
    pthread_mutex_unlock(&other);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_mutex_lock(&mutex);
    int before = shared;
    int after = shared;
    pthread_mutex_unlock(&mutex);
    assert(before == after);
    return 0;
}
