// Unlocking a normal mutex that another thread holds is undefined: nothing is claimed about what comes after it.
// property: unreach    truth: safe
// explore: unknown (undefined)   impact: unknown (undefined)   priori: unknown (undefined)   staged: unknown (undefined)
// property: locks      truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int done;

void *other(void *arg) {
    pthread_mutex_unlock(&normal);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&normal);
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    done = 1;
    assert(done == 1);
    return 0;
}
