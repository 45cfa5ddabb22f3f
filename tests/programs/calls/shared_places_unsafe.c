// A function is called with pointers to shared cells, to memory of the caller's own, and at places that are read.
// property: unreach   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

int cells[4], at;

static int swap(int *cell, int value) {
    int old = *cell;
    *cell = value;
    return old;
}

void *worker(void *arg) {
    int own = 5;
    at = 2;
    int old = swap(&own, 6) + swap(&own, 7);
    swap(&cells[1], old);
    swap(&cells[at & 3], own);
    swap(&cells[3], 0);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    int seen = swap(&cells[at & 3], 1);
    int other = swap(&cells[2], seen + 1);
    assert(other != 7 || seen != 0);
    return 0;
}
