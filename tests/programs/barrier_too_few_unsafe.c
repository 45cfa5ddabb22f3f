// A barrier for three threads, of which only two come.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <errno.h>
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;

void *worker(void *arg) {
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void) {
    pthread_t thread;
    assert(pthread_barrier_init(&barrier, 0, 0) == EINVAL);
    pthread_barrier_init(&barrier, 0, 3);
    pthread_create(&thread, 0, worker, 0);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, 0);
    return 0;
}
