// The numbers of a process do not change, and are those that POSIX allows.
// property: unreach   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (imprecise)   staged: safe
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

int first;

void *again(void *arg) {
    assert(getpid() == first && getuid() == getuid() && getegid() == getegid());
    return arg;
}

int main(void) {
    pthread_t thread;
    first = getpid();
    assert(first > 0);
    pthread_create(&thread, 0, again, 0);
    pthread_join(thread, 0);
    return 0;
}
