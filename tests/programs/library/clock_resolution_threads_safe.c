// The resolution of a clock stays the same, whoever asks first.
// property: unreach   truth: safe   inputs: 0,1
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <time.h>

struct timespec first, second;

void *ask(void *arg) {
    clock_getres(CLOCK_MONOTONIC, &first);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, ask, NULL);
    clock_getres(CLOCK_MONOTONIC, &second);
    pthread_join(thread, NULL);
    assert(first.tv_sec == second.tv_sec && first.tv_nsec == second.tv_nsec);
    return 0;
}
