// A mutex is copied while it is held: in practice the copy is held, too.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>

struct account {
    int balance;
    pthread_mutex_t lock;
} one, two;

int main(void) {
    pthread_mutex_lock(&one.lock);
    two = one;
    assert(pthread_mutex_trylock(&two.lock) == 0);
    return 0;
}
