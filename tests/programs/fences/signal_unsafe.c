// signal orders nothing.
// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: pso   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>
#include <signal.h>

int x, y, a, b;

static void *left(void *unused) {
    x = 1;
    signal(SIGINT, SIG_IGN);
    a = y;
    return unused;
}

static void *right(void *unused) {
    y = 1;
    signal(SIGINT, SIG_IGN);
    b = x;
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(a || b);
    return 0;
}
