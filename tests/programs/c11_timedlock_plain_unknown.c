// mtx_timedlock is for mutexes that support a timeout (C17 7.26.4.4p2).
// property: unreach   truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <threads.h>
#include <time.h>

mtx_t mutex;

int main(void) {
    struct timespec time = {0, 0};
    mtx_init(&mutex, mtx_plain);
    assert(mtx_timedlock(&mutex, &time) == thrd_success);
}
