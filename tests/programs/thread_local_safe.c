// Thread-local variables and errno are each thread's own.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   priori: safe   staged: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

_Thread_local int mine = 3;

void *worker(void *arg) {
    assert(mine == 3 && errno == 0);
    mine = 4;
    errno = EPERM;
    return arg;
}

int main(void) {
    pthread_t thread;
    mine = 5;
    errno = EINVAL;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    assert(mine == 5 && errno == EINVAL);
    return 0;
}
