// Initialisation guarded by a plain variable.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race       truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <pthread.h>

int is_done;
int count, value;

void initialise(void) {
    count++;
    value = 42;
}

void *worker(void *arg) {
    if (!is_done) {
        is_done = 1;
        initialise();
    }
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
