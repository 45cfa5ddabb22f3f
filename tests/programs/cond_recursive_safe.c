// A condition variable with a recursive mutex that is held once.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: unknown (bound)
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: unknown (bound)
// property: locks      truth: safe
// explore: safe   impact: unknown (time)   staged: unknown (bound)
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int is_ready;

void *producer(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, 0, producer, 0);
    pthread_mutex_lock(&mutex);
    while (!is_ready) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    assert(is_ready);
    return 0;
}
