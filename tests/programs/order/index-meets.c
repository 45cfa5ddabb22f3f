// A write at an index that is not known may be to the element that another thread reads.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
int a[2];

void *writer(void *unused) {
    int index = __VERIFIER_nondet_bool() ? 1 : 0;
    a[index] = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    assert(a[1] == 0);
    return 0;
}
