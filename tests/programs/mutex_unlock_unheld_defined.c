// Unlocking a recursive or error-checking mutex that the caller does not hold gives EPERM, whether another thread holds it
// or nobody: a misuse of a lock, but no undefined behaviour.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: locks      truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t recursive, checked;

void *other(void *arg) {
    assert(pthread_mutex_unlock(&recursive) == EPERM);
    assert(pthread_mutex_unlock(&checked) == EPERM);
    return arg;
}

void make(pthread_mutex_t *mutex, int kind) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_init(mutex, &attributes);
}

int main(void) {
    pthread_t thread;
    make(&recursive, PTHREAD_MUTEX_RECURSIVE);
    make(&checked, PTHREAD_MUTEX_ERRORCHECK);
    pthread_create(&thread, 0, other, 0);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&checked);
    pthread_join(thread, 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == EPERM);
    assert(pthread_mutex_unlock(&checked) == 0);
    assert(pthread_mutex_unlock(&checked) == EPERM);
    return 0;
}
