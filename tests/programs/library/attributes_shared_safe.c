// Two threads may look at attributes.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

pthread_attr_t attributes;

void *nothing(void *arg) { return arg; }

void *make(void *arg) {
    pthread_t thread;
    int is_detached;
    assert(pthread_attr_getdetachstate(&attributes, &is_detached) == 0 && is_detached == PTHREAD_CREATE_JOINABLE);
    pthread_create(&thread, &attributes, nothing, 0);
    pthread_join(thread, 0);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setscope(&attributes, PTHREAD_SCOPE_PROCESS) != 0);
    pthread_create(&thread, 0, make, 0);
    make(0);
    pthread_join(thread, 0);
    return 0;
}
