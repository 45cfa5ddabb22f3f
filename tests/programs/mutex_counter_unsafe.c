// The second thread counts without the mutex.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race       truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int count;

void *careful(void *arg) {
    pthread_mutex_lock(&mutex);
    count = count + 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}

void *careless(void *arg) {
    count = count + 1;
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, careful, 0);
    pthread_create(&second, 0, careless, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(count == 2);
    return 0;
}
