// A function with a loop: how often it is gone through is told by a constant, by what was read, and by both.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

int x;

static int sum(int from, int to) {
    int all = 0;
    for (int i = from; i < to; i++) {
        all += i;
    }
    return all;
}

static int small(int n) {
    return sum(0, n & 3);
}

void *writer(void *arg) {
    x = sum(0, 20);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int seen = x;
    assert(small(seen) <= 3);
    assert(sum(seen, seen) == 0);
    pthread_join(thread, 0);
    assert(x == 190);
    return 0;
}
