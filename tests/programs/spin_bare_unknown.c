// A spin lock that was not initialised: on some machines zero means that it is held.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>

pthread_spinlock_t lock;

int main(void) {
    assert(pthread_spin_trylock(&lock) == 0);
    return 0;
}
