// A function that could only fail outside an atomic region.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x, y;

static int check(int a, int b) {
    assert(a == b);
    return a;
}

void *writer(void *arg) {
    __VERIFIER_atomic_begin();
    x = 1;
    y = 1;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    __VERIFIER_atomic_begin();
    int seen = check(x, y);
    x = seen;
    __VERIFIER_atomic_end();
    pthread_join(thread, 0);
    return 0;
}
