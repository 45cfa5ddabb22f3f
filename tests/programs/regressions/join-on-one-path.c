// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe

/* A thread is joined on one path only: on the other nothing that it does comes before what follows. */
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

int x;

void *set(void *unused) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    if (__VERIFIER_nondet_bool()) pthread_join(thread, 0);
    assert(x == 1);
    return 0;
}
