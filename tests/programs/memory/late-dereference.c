// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// Which object is accessed depends on what another thread did, and one of them is too small.
#include <pthread.h>

int small[1], large[4];
int *current = large;

void *shrink(void *unused) {
    current = small;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, shrink, 0);
    int *chosen = current;
    chosen[2] = 1;
    pthread_join(thread, 0);
    return 0;
}
