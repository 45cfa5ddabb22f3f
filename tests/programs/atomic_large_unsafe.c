// The same object, not atomic: half of a store is seen.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race       truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

struct triple {
    long long a, b, c;
};

struct triple shared;

void *worker(void *arg) {
    shared.a = 1;
    shared.b = 1;
    shared.c = 1;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    long long c = shared.c, a = shared.a;
    assert(a == c);
    pthread_join(thread, 0);
    return 0;
}
