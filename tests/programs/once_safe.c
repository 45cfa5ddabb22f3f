// pthread_once runs the function once, and everybody waits for it.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach    model: tso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach    model: pso   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach    model: ra   truth: safe
// explore: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int count, value;

void initialise(void) {
    count++;
    value = 42;
}

void *worker(void *arg) {
    pthread_once(&once, initialise);
    assert(value == 42);
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(count == 1);
    return 0;
}
