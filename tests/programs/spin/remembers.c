// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// The loop remembers what it saw: each iteration only reads, but not every iteration leaves the thread as it was.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void *watch(void *unused)
{
    (void)unused;
    int seen = 0;
    for (;;) {
        int now = x;
        if (now == 2 && seen == 1) break;
        seen = now;
    }
    assert(0);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, watch, 0);
    x = 1;
    x = 2;
    pthread_join(t, 0);
    return 0;
}
