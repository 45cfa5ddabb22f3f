// In which order memcpy moves bytes C leaves open.
// property: unreach   truth: unsafe
// explore: unknown (unmodelled)
// property: unreach   model: tso   truth: unsafe
// explore: unknown (unmodelled)
// property: unreach   model: ra   truth: unsafe
// explore: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>
#include <string.h>

int from[4] = {1, 1, 1, 1}, to[4];

void *copy(void *arg) {
    memcpy(to, from, sizeof to);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, copy, 0);
    int last = *(volatile int *)&to[3], first = *(volatile int *)&to[0];
    assert(!last || first);
    pthread_join(thread, 0);
}
