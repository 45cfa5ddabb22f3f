// A number is written into a mutex: in practice it is held then.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    *(int *)&lock = 1;
    assert(pthread_mutex_trylock(&lock) == 0);
    return 0;
}
