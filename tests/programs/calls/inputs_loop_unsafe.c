// Each iteration calls a function that has an input of its own: only if they differ is the count one.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

int x;

static int choose(int a) {
    return __VERIFIER_nondet_bool() ? a : 0;
}

void *writer(void *arg) {
    x = 1;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_join(thread, 0);
    int count = 0;
    for (int i = 0; i < 2; i++) {
        count += choose(x);
    }
    assert(count != 1);
    return 0;
}
