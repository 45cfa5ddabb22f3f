// Arguments, results, and the identity of threads.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_t threads[2], self;

void *returns(void *arg) {
    self = pthread_self();
    return (char *)arg + 1;
}

void leave(void *arg) { pthread_exit(arg); }

void *leaves(void *arg) {
    leave(arg);
    assert(0);
    return 0;
}

int main(void) {
    char bytes[2];
    void *result;
    assert(pthread_join(pthread_self(), 0) == EDEADLK);
    pthread_create(&threads[0], 0, returns, bytes);
    assert(!pthread_equal(pthread_self(), threads[0]));
    assert(pthread_join(threads[0], &result) == 0);
    assert(result == &bytes[1]);
    assert(pthread_equal(self, threads[0]));
    pthread_create(&threads[1], 0, leaves, bytes);
    pthread_join(threads[1], &result);
    assert(result == bytes);
    return 0;
}
