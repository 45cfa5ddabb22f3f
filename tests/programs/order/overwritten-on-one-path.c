// A write on one path only does not hide the one before it on the other.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
int x;

void *writer(void *unused) {
    x = 1;
    if (__VERIFIER_nondet_bool())
        x = 2;
    assert(x != 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    x = 3;
    return 0;
}
