// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// An iteration only waits while the flag is down, and counts otherwise: the second kind must not be left out.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag, count;

static void *counter(void *unused)
{
    (void)unused;
    while (count < 3) {
        if (flag) {
            count++;
            flag = 0;
        }
    }
    assert(0);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, counter, 0);
    for (int i = 0; i < 3; i++) {
        flag = 1;
        while (flag) {
        }
    }
    pthread_join(t, 0);
    return 0;
}
