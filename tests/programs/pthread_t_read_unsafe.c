// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// POSIX does not promise that the new thread finds its number where pthread_create stores it.
#include <assert.h>
#include <pthread.h>

static pthread_t thread;

static void *run(void *unused) {
    assert(pthread_equal(thread, pthread_self()));
    return unused;
}

int main(void) {
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
    return 0;
}
