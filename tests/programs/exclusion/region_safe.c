// In one atomic region a thread finds what it found before, and others do not see what it overwrites there.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

int shared, array[2];
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

void *writer(void *arg) {
    __VERIFIER_atomic_begin();
    shared = 1;
    shared = 2;
    array[1] = shared;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int seen = shared;
    assert(seen != 1);
    __VERIFIER_atomic_begin();
    int before = shared;
    int after = shared;
    int first = array[before / 2];
    int second = array[before / 2];
    __VERIFIER_atomic_end();
    assert(before == after && first == second && first == before);
    return 0;
}
