// Section 1.1 of the staged analysis: a chain of 100 local additions between a read and a write of x.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

int x;

void *chain(void *arg) {
    int local = x;
    for (int i = 0; i < 100; i++) local = local + 1;
    x = local;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, chain, 0);
    pthread_create(&b, 0, chain, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x != 100);
    return 0;
}
