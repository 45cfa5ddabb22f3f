// Each call of a function has inputs of its own.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

int x;

static int choose(int a, int b) {
    return __VERIFIER_nondet_bool() ? a : b;
}

void *writer(void *arg) {
    x = choose(1, 2);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_join(thread, 0);
    assert(x == choose(1, 2) + choose(0, 0));
    return 0;
}
