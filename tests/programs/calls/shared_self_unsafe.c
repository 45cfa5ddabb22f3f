// Functions that use the number of the thread, in three threads: the owner that is seen need not be the caller.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

pthread_t owner;
int claims;

static int claim(void) {
    owner = pthread_self();
    claims++;
    return pthread_equal(owner, pthread_self());
}

void *worker(void *arg) {
    int mine = claim();
    int again = claim();
    assert(mine || again || claims != 4);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(claim());
    assert(claims == 5);
    return 0;
}
