// Figure 1 of the staged analysis: two threads add 1 or 2 to x without a lock.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

int x;

void *add_one(void *arg) {
    x = x + 1;
    return arg;
}

void *add_two(void *arg) {
    x = x + 2;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add_one, 0);
    pthread_create(&b, 0, add_two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 3);
    return 0;
}
