// Detached threads, by attribute and by pthread_detach, in a loop that uses their numbers again.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <pthread.h>

int started;

void *worker(void *arg) {
    __atomic_fetch_add(&started, 1, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    int state;
    pthread_attr_init(&attributes);
    assert(pthread_attr_getdetachstate(&attributes, &state) == 0 && state == PTHREAD_CREATE_JOINABLE);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, worker, 0);
    pthread_create(&thread, 0, worker, 0);
    pthread_detach(thread);
    pthread_attr_destroy(&attributes);
    assert(__atomic_load_n(&started, __ATOMIC_SEQ_CST) <= 2);
    return 0;
}
