// Which thread is the serial one is not said: it may be another one in the second round.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;

void *worker(void *arg) {
    int before = pthread_barrier_wait(&barrier);
    int after = pthread_barrier_wait(&barrier);
    assert(before == after);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, worker, 0);
    worker(0);
    pthread_join(thread, 0);
    return 0;
}
