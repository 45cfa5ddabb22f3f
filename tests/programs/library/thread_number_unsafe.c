// The number of a thread need not be the next one.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

void *own(void *arg) {
    assert(gettid() == getpid() + 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, own, 0);
    pthread_join(thread, 0);
    return 0;
}
