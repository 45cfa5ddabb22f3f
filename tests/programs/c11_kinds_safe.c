// Kinds of C11 mutexes and what their functions return. mtx_trylock of a mutex that is free succeeds in glibc, not by C17.
// property: unreach    truth: safe   libc: glibc
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: safe   libc: glibc
// explore: safe   impact: safe   staged: safe
// property: locks      truth: safe   libc: glibc
// explore: safe   impact: safe   staged: safe
// property: unreach    truth: safe   data-model: ilp32   libc: glibc
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <threads.h>

mtx_t plain, recursive, timed;

int other(void *arg) {
    struct timespec deadline = {1, 0};
    (void)arg;
    assert(mtx_trylock(&plain) == thrd_busy);
    assert(mtx_trylock(&recursive) == thrd_busy);
    assert(mtx_timedlock(&timed, &deadline) == thrd_timedout);
    thrd_exit(5);
}

int main(void) {
    thrd_t thread;
    int result;
    mtx_init(&plain, mtx_plain);
    mtx_init(&recursive, mtx_plain | mtx_recursive);
    mtx_init(&timed, mtx_timed);
    mtx_lock(&plain);
    mtx_lock(&recursive);
    assert(mtx_lock(&recursive) == thrd_success && mtx_trylock(&recursive) == thrd_success);
    mtx_lock(&timed);
    thrd_create(&thread, other, 0);
    thrd_join(thread, &result);
    assert(result == 5);
    mtx_unlock(&plain);
    mtx_unlock(&timed);
    mtx_unlock(&recursive);
    mtx_unlock(&recursive);
    mtx_unlock(&recursive);
    assert(mtx_trylock(&plain) == thrd_success);
    mtx_unlock(&plain);
    return 0;
}
