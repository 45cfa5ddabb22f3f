// A consumer that does not wait in a loop is woken for no reason.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race       truth: safe
// explore: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int is_ready;

void *producer(void *arg) {
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    pthread_mutex_lock(&mutex);
    if (!is_ready) pthread_cond_wait(&changed, &mutex);
    assert(is_ready);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
