// A loop that does nothing but ask a function with an input of its own may end in any iteration.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

int x;

static int goes_on(int a) {
    return __VERIFIER_nondet_bool() && a < 5;
}

void *writer(void *arg) {
    x = 1;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    while (goes_on(x)) {
    }
    assert(x == 0);
    pthread_join(thread, 0);
    return 0;
}
