// A barrier is used for two rounds; one thread of each round is told that it is the serial one.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach    truth: safe   data-model: ilp32
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int first[2], second[2];

void *worker(void *arg) {
    int *mine = arg;
    int result = pthread_barrier_wait(&barrier);
    assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    mine[0] = result != 0;
    result = pthread_barrier_wait(&barrier);
    mine[1] = result != 0;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, worker, first);
    worker(second);
    pthread_join(thread, 0);
    assert(first[0] + second[0] == 1);
    assert(first[1] + second[1] == 1);
    return 0;
}
