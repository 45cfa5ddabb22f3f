// A function with a loop that ends within the bound for the constants it is called with, and one that waits.
// property: unreach   truth: safe
// explore: safe   impact: unknown (time)   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int sum, turn;

static void add(int times) {
    for (int i = 0; i < times; i++) {
        atomic_fetch_add(&sum, 1);
    }
}

static void wait_for(int mine) {
    while (atomic_load(&turn) != mine) {
    }
}

void *worker(void *arg) {
    wait_for(1);
    add(3);
    atomic_store(&turn, 2);
    wait_for(3);
    add(3);
    atomic_store(&turn, 4);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    add(2);
    atomic_store(&turn, 1);
    wait_for(2);
    assert(sum == 5);
    add(2);
    atomic_store(&turn, 3);
    wait_for(4);
    assert(sum == 10);
    return 0;
}
