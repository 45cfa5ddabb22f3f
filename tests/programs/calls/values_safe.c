// Functions that only compute, called with what was read and with constants, one by another.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

int x, y;

static int larger(int a, int b) {
    return a < b ? b : a;
}

static int clamp(int a) {
    if (a > 10) {
        return 10;
    }
    return larger(a, 0);
}

void *writer(void *arg) {
    x = clamp(y + 20);
    y = larger(x, clamp(7));
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int seen = clamp(x), other = clamp(y - 5);
    assert(seen >= 0 && seen <= 10);
    assert(larger(seen, other) <= 10);
    pthread_join(thread, 0);
    assert(x == clamp(x));
    assert(larger(clamp(3), clamp(-3)) == 3);
    return 0;
}
