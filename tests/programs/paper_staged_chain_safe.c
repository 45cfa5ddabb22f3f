// Section 1.1 of the staged analysis: whatever the order, the two chains of 100 additions leave 100 or 200 in x.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
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
    assert(x == 100 || x == 200);
    return 0;
}
