// The system may refuse to schedule a thread in another way.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>
#include <sched.h>

int main(void) {
    struct sched_param parameters = {.sched_priority = 10};
    assert(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0);
    return 0;
}
