// A destructor of thread-specific data must not end the thread again (POSIX, pthread_exit).
// property: unreach   truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>

pthread_key_t key;

void destroy(void *value) { pthread_exit(&key); }

void *run(void *arg) {
    pthread_setspecific(key, &key);
    return 0;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_key_create(&key, destroy);
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, &result);
    assert(result == 0 || result == &key);
}
