// exit in a thread ends the process, and so does abort.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void *worker(void *arg) {
    if (arg) abort();
    exit(1);
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, &second);
    pthread_join(first, 0);
    assert(0);
    return 0;
}
