// Functions that begin and end an atomic region, one that works in it, and one that is a region by itself.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x, y;

static void begin(void) {
    __VERIFIER_atomic_begin();
}

static void end(void) {
    __VERIFIER_atomic_end();
}

static void both(int value) {
    x = value;
    assert(y <= value);
    y = value;
}

static int look(void) {
    __VERIFIER_atomic_begin();
    int are_equal = x == y;
    __VERIFIER_atomic_end();
    return are_equal;
}

void *worker(void *arg) {
    begin();
    both(1);
    end();
    assert(look());
    begin();
    both(2);
    end();
    assert(look());
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    assert(look());
    assert(look());
    return 0;
}
