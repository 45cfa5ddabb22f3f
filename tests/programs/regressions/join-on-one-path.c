// Only a join that is executed orders what comes after it: where it is not, the thread may still be running.
// property: unreach   truth: unsafe
// explore: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
int x;

void *writer(void *unused) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    _Bool joined = __VERIFIER_nondet_bool();
    if (joined)
        pthread_join(thread, 0);
    int seen = x;
    assert(joined || seen == 1);
    return 0;
}
