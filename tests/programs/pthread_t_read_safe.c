// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// Behind a lock that the creator holds until pthread_create has returned, the number is there.
#include <assert.h>
#include <pthread.h>

static pthread_t thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *unused) {
    pthread_mutex_lock(&lock);
    assert(pthread_equal(thread, pthread_self()));
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_mutex_lock(&lock);
    pthread_create(&thread, 0, run, 0);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
