// There are no other policies than those of Linux, whatever the priority.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>

int main(void) {
    struct sched_param none = { 0 }, one = { 1 };
    assert(pthread_setschedparam(pthread_self(), -1, &one) == EINVAL);
    assert(pthread_setschedparam(pthread_self(), 42, &one) == EINVAL);
    assert(pthread_setschedparam(pthread_self(), 42, &none) == EINVAL);
    assert(pthread_setschedparam(pthread_self(), SCHED_OTHER, &none) == 0);
    return 0;
}
