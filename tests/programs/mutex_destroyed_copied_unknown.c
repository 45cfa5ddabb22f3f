// A mutex is copied after its destruction.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>

pthread_mutex_t one, two;

int main(void) {
    pthread_mutex_init(&one, 0);
    pthread_mutex_destroy(&one);
    two = one;
    assert(pthread_mutex_lock(&two) == 0);
    return 0;
}
