// property: race   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
//
// Only an iteration that waits reads `x`: the one that leaves the loop does not.
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
int x;

static void *waiter(void *unused)
{
    (void)unused;
    int sum = 0;
    while (!flag) sum = x;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    x = 1;
    flag = 1;
    pthread_join(t, 0);
    return 0;
}
