// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
//
// A compare-exchange is tried until it succeeds; what a failed try read is used by the next one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void *add(void *unused)
{
    (void)unused;
    int old = atomic_load(&x);
    while (!atomic_compare_exchange_strong(&x, &old, old + 1)) {
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
