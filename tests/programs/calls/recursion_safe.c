// A function that calls itself, and one that calls it.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

int x;

static int factorial(int n) {
    return n <= 1 ? 1 : n * factorial(n - 1);
}

static int next(int n) {
    return factorial(n) + 1;
}

void *writer(void *arg) {
    x = next(3);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int seen = x;
    assert(seen == 0 || seen == 7);
    pthread_join(thread, 0);
    assert(x == next(3));
    return 0;
}
