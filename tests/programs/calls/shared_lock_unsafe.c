// One function takes the lock, another releases it, a third works in between; the last call is outside.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x;

static void enter(void) {
    pthread_mutex_lock(&lock);
}

static void leave(void) {
    pthread_mutex_unlock(&lock);
}

static void add(int amount) {
    int old = x;
    x = old + amount;
}

void *worker(void *arg) {
    enter();
    add(1);
    leave();
    enter();
    add(1);
    leave();
    add(1);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    enter();
    add(1);
    leave();
    pthread_join(thread, 0);
    assert(x == 4);
    return 0;
}
