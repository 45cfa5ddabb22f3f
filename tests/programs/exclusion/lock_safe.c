// Under one lock a thread finds what it found before, and does not see what is overwritten before the lock is released.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race      truth: safe
// explore: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

void *writer(void *arg) {
    pthread_mutex_lock(&mutex);
    shared = 1;
    shared = 2;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_mutex_lock(&mutex);
    int before = shared;
    int after = shared;
    assert(before == after);
    assert(before != 1);
    shared++;
    assert(shared == before + 1);
    pthread_mutex_unlock(&mutex);
    return 0;
}
