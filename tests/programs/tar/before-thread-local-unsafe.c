// Each thread has its own copy of a thread-local variable, whatever main has put into its own.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <assert.h>
#include <pthread.h>

_Thread_local int value;
int *mains;

void *worker(void *arg) {
    *mains = 6;
    assert(value == 5);
    return arg;
}

int main(void) {
    pthread_t thread;
    value = 5;
    mains = &value;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    return 0;
}
