// pause is no fence: stores to two places may change their order.
// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

int data, flag;

static void *writer(void *unused) {
    data = 1;
    __asm__ volatile("pause" ::: "memory");
    flag = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int is_set = flag;
    __asm__ volatile("nop" ::: "memory");
    assert(!is_set || data == 1);
    return 0;
}
