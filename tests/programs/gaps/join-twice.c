// What happens when a thread is joined a second time is not defined.
// property: unreach   truth: unsafe
// explore: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>

void *nothing(void *arg) { return arg; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, nothing, 0);
    pthread_join(thread, 0);
    pthread_join(thread, 0);
    assert(0);
}
