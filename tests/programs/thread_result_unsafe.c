// The thread's result depends on who comes first.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race       truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

int shared;

void *worker(void *arg) {
    (void)arg;
    return shared ? &shared : 0;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, worker, 0);
    shared = 1;
    pthread_join(thread, &result);
    assert(result == 0);
    return 0;
}
