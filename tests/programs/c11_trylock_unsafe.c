// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   truth: safe   libc: glibc
// explore: safe   impact: safe   priori: safe   staged: safe
// C17 7.26.4.5: mtx_trylock may fail although the mutex is free.
#include <assert.h>
#include <threads.h>

int main(void) {
    mtx_t mutex;
    mtx_init(&mutex, mtx_plain);
    assert(mtx_trylock(&mutex) == thrd_success);
    mtx_unlock(&mutex);
    mtx_destroy(&mutex);
    return 0;
}
