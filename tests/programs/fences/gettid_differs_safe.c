// Two threads that ask at a time have different numbers.
// property: unreach   model: sc   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (bound)   staged: safe
// property: unreach   model: tso   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (bound)   staged: safe
// property: unreach   model: pso   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (bound)   staged: safe
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

int x, y, a, b;
int gettid(void);
int n, o;

static void *left(void *unused) {
    x = 1;
    n = gettid();
    a = y;
    return unused;
}

static void *right(void *unused) {
    y = 1;
    o = gettid();
    b = x;
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(n != o);
    return 0;
}
