// Thread-specific data is destroyed when the thread calls pthread_exit.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach    truth: safe   data-model: ilp32
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
int mine, yours, destroyed;

void destroy(void *value) {
    assert(value == &mine);
    assert(pthread_getspecific(key) == 0);
    destroyed = 1;
}

void *worker(void *arg) {
    assert(pthread_getspecific(key) == 0);
    assert(pthread_setspecific(key, &mine) == 0);
    assert(pthread_getspecific(key) == &mine);
    pthread_exit(arg);
}

int main(void) {
    pthread_t thread;
    assert(pthread_key_create(&key, destroy) == 0);
    pthread_setspecific(key, &yours);
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    assert(pthread_getspecific(key) == &yours);
    assert(destroyed == 1);
    pthread_key_delete(key);
    return 0;
}
