// sfence keeps stores in order.
// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

int data, flag;

static void *writer(void *unused) {
    data = 1;
    __asm__ volatile("sfence" ::: "memory");
    flag = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int is_set = flag;
    __asm__ volatile("lfence" ::: "memory");
    assert(!is_set || data == 1);
    return 0;
}
