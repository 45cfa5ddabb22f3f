// Before one thread ends the process, the other may get to its assertion.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void *worker(void *arg) {
    (void)arg;
    exit(1);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    assert(0);
    return 0;
}
