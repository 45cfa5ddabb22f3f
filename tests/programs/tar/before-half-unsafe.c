// A part of what was stored before the thread is started is overwritten.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe
// tar: unknown
#include <assert.h>
#include <pthread.h>

union {
    int whole;
    short halves[2];
} x;

void *worker(void *arg) {
    assert(x.whole == 0x10001 || x.whole == 0);
    return arg;
}

int main(void) {
    pthread_t thread;
    x.whole = 0x10001;
    x.halves[0] = 0;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    return 0;
}
