// pthread_exit in main leaves the other thread running, and its assertion fails; return would end it.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <pthread.h>

int turn;

void *worker(void *arg) {
    while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) == 0) {
    }
    assert(0);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    __atomic_store_n(&turn, 1, __ATOMIC_SEQ_CST);
    pthread_exit(0);
}
