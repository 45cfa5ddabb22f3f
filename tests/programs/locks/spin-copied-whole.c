// A copy of an initialised spin lock, whole, is initialised.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe
#include <assert.h>
#include <pthread.h>

struct guarded { pthread_spinlock_t lock; };
struct guarded first, second;

int main(void) {
    pthread_spin_init(&first.lock, 0);
    second = first;
    pthread_spin_lock(&second.lock);
    assert(pthread_spin_trylock(&second.lock) != 0);
    pthread_spin_unlock(&second.lock);
    return 0;
}
