// Under a lock, and in a range that others leave alone, the order does not matter.
// property: unreach   truth: safe
// explore: safe   priori: safe
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe
#include <assert.h>
#include <pthread.h>
#include <string.h>

int from[4] = {1, 1, 1, 1}, to[4], others[4];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *copy(void *arg) {
    pthread_mutex_lock(&mutex);
    memcpy(to, from, sizeof to);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, copy, 0);
    memset(others, from[0], sizeof others);
    pthread_mutex_lock(&mutex);
    assert(to[0] == to[3]);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
}
