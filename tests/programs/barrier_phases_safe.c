// Each side sees what the other wrote before the barrier.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach    model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach    model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach    model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int left, right;

void *worker(void *arg) {
    left = 1;
    pthread_barrier_wait(&barrier);
    assert(right == 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, worker, 0);
    right = 1;
    pthread_barrier_wait(&barrier);
    assert(left == 1);
    pthread_join(thread, 0);
    pthread_barrier_destroy(&barrier);
    return 0;
}
