// trylock can fail, and then nobody holds the mutex for this thread.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unknown (undefined)   priori: unsafe   staged: unsafe
// property: race       truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: locks      truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int inside;

void *worker(void *arg) {
    pthread_mutex_trylock(&mutex);
    inside = inside + 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(inside == 2);
    return 0;
}
