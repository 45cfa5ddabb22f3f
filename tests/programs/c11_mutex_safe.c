// C11 threads count under a mutex.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <threads.h>

mtx_t mutex;
int count;

int worker(void *arg) {
    mtx_lock(&mutex);
    count++;
    mtx_unlock(&mutex);
    return *(int *)arg;
}

int main(void) {
    thrd_t first, second;
    int number = -3, result;
    assert(mtx_init(&mutex, mtx_plain) == thrd_success);
    assert(thrd_create(&first, worker, &number) == thrd_success);
    assert(thrd_create(&second, worker, &number) == thrd_success);
    assert(thrd_join(first, &result) == thrd_success && result == -3);
    assert(thrd_join(second, 0) == thrd_success);
    assert(count == 2);
    mtx_destroy(&mutex);
    return 0;
}
