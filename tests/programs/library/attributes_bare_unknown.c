// Attributes that were not initialised.
// property: unreach   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>

void *nothing(void *arg) { return arg; }

int main(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    assert(pthread_create(&thread, &attributes, nothing, 0) == 0);
    pthread_join(thread, 0);
    return 0;
}
