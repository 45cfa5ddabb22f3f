// Threads have different numbers, and the first that of the process.
// property: unreach   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (imprecise)   staged: safe
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

void *own(void *arg) {
    assert(gettid() != getpid() && gettid() == gettid());
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, own, 0);
    assert(gettid() == getpid());
    pthread_join(thread, 0);
    return 0;
}
