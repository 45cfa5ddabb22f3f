// call_once and thread-specific storage of C11.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach    model: tso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach    model: pso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach    model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
#include <assert.h>
#include <threads.h>

once_flag flag = ONCE_FLAG_INIT;
tss_t key;
int calls, destroyed;

void destroy(void *value) { destroyed += *(int *)value; }

void initialise(void) {
    calls++;
    assert(tss_create(&key, destroy) == thrd_success);
}

int worker(void *arg) {
    call_once(&flag, initialise);
    assert(tss_get(key) == 0);
    tss_set(key, arg);
    assert(tss_get(key) == arg);
    return 0;
}

int main(void) {
    thrd_t thread;
    int three = 3;
    thrd_create(&thread, worker, &three);
    call_once(&flag, initialise);
    thrd_join(thread, 0);
    assert(calls == 1 && destroyed == 3 && tss_get(key) == 0);
    return 0;
}
