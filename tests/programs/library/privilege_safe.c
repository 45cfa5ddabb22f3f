// What is ordinary is not refused.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>

int main(void) {
    struct sched_param parameters = {.sched_priority = 0};
    assert(pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameters) == 0);
    parameters.sched_priority = 200;
    assert(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == EINVAL);
    return 0;
}
