// A function shifts by its argument, which another thread changes between two calls.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

unsigned x;

static unsigned power(unsigned exponent) {
    return 1u << exponent;
}

void *writer(void *arg) {
    x = 3;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    unsigned first = power(x), second = power(x);
    assert(first + second != 9);
    pthread_join(thread, 0);
    return 0;
}
