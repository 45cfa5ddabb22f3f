// A barrier for one thread holds nobody back.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race       truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
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
    pthread_barrier_init(&barrier, 0, 1);
    pthread_create(&thread, 0, worker, 0);
    right = 1;
    pthread_barrier_wait(&barrier);
    assert(left == 1);
    pthread_join(thread, 0);
    pthread_barrier_destroy(&barrier);
    return 0;
}
