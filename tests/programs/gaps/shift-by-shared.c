// A shift by more than the width, by a number that another thread changes.
// property: unreach   truth: unsafe
// explore: unknown (undefined)   impact: unknown (undefined)   priori: unknown (undefined)   staged: unknown (undefined)
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint n;

void *count(void *arg) {
    n++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, count, 0);
    unsigned y = 1u << (33 + (n & 7));
    assert(y == 0);
}
