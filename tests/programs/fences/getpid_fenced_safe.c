// getpid beside a fence, and it is the same in both threads.
// property: unreach   model: tso   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (imprecise)   staged: safe
// property: unreach   model: pso   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (imprecise)   staged: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

int x, y, a, b;
int n, o;

static void *left(void *unused) {
    x = 1;
    n = getpid();
    atomic_thread_fence(memory_order_seq_cst);
    a = y;
    return unused;
}

static void *right(void *unused) {
    y = 1;
    o = getpid();
    atomic_thread_fence(memory_order_seq_cst);
    b = x;
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert((a || b) && n == o);
    return 0;
}
