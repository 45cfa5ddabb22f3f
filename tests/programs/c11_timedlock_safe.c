// A mutex that supports a timeout, and is free.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <threads.h>
#include <time.h>

mtx_t mutex;

int main(void) {
    struct timespec time = {0, 0};
    mtx_init(&mutex, mtx_timed | mtx_recursive);
    assert(mtx_timedlock(&mutex, &time) == thrd_success);
    assert(mtx_timedlock(&mutex, &time) == thrd_success);
}
