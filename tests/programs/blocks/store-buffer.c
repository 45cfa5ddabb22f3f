// The end of a block is no fence: both threads may still read 0 under tso.
// property: unreach    model: tso   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach    model: sc    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

int x, y, a, b;

static void touch(int *p) { *p += 1; }

void *one(void *arg) {
    x = 1;
    {
        int local = 0;
        touch(&local);
    }
    a = y;
    return arg;
}

void *two(void *arg) {
    y = 1;
    {
        int local = 0;
        touch(&local);
    }
    b = x;
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, two, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(a || b);
    return 0;
}
