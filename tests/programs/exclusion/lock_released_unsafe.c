// A lock that is released between two reads keeps nobody out.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race      truth: safe
// explore: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

void *writer(void *arg) {
    pthread_mutex_lock(&mutex);
    shared = 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_mutex_lock(&mutex);
    int before = shared;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    int after = shared;
    pthread_mutex_unlock(&mutex);
    assert(before == after);
    return 0;
}
