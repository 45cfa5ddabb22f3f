/* Models pthread_spin_*: a thread that spins counts as blocked. Locking a spin lock that the caller holds, unlocking
 * one that it does not hold, and destroying one that is held violate `locks`.
 */
#include "heddle.h"

ALWAYS int *cell_of(volatile void *lock) { return __heddle_ghost((const void *)lock); }

int pthread_spin_init(volatile void *lock, int is_shared) {
    (void)is_shared;
    cell_put(cell_of(lock), 0);
    return 0;
}

int pthread_spin_destroy(volatile void *lock) {
    int owner = cell_get(cell_of(lock));
    __heddle_assert(owner == 0, "destroyed-idle spinlock");
    return 0;
}

int pthread_spin_lock(volatile void *lock) {
    __heddle_lock(cell_of(lock));
    return 0;
}

int pthread_spin_trylock(volatile void *lock) {
    int expected = 0;
    return __atomic_compare_exchange_n(cell_of(lock), &expected, self_number(), 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
               ? 0
               : EBUSY;
}

int pthread_spin_unlock(volatile void *lock) {
    __heddle_unlock(cell_of(lock));
    return 0;
}
