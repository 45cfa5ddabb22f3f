// A thread that has been joined is joined again, which is undefined, so that the assertion after it may be reached.
// property: unreach   truth: unsafe
// explore: unknown (unmodelled)   priori: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>

void *nothing(void *unused) { return 0; }

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
    pthread_join(t, 0);
    assert(0);
}
