/* Models pthread_rwlock_* and pthread_rwlockattr_*.
 *
 * The cell is 0 when the lock is free, the number of readers when it is positive, and minus the writer's thread
 * number when it is negative. Unlocking a lock that the caller does not hold violates `locks`; so does destroying one that
 * is held. Locking a lock that the caller holds for writing gives EDEADLK, as in glibc.
 *
 * Readers do not synchronise with each other, although they all change the cell: a writer releases by the cell and whoever
 * comes later acquires from it; a reader releases by a cell of its own, `readers`, from which only writers acquire. It has the threads that
 * read, one bit each, and `again` those that do so twice; a bit is of interest to its own thread only.
 *
 * Simplifications: of the 33rd thread, and of one that ever read three times at once (it is in `again` only), it is not noticed that it
 * unlocks what only others read under; readers are preferred, as by default in glibc, and asking for another
 * preference is unmodelled (by an attribute; the static initialiser with another preference is not seen).
 */
#include "attributes.h"

struct rwlock {
    int cell;
    unsigned readers, again;
};

ALWAYS struct rwlock *rwlock_of(void *lock) { return __heddle_ghost(lock); }

ALWAYS int *cell_of(void *lock) { return &rwlock_of(lock)->cell; }

ALWAYS int is_mine(void *lock) { return cell_get(cell_of(lock)) == -self_number(); }

/* A writer that has the cell learns what readers did before they unlocked. */
ALWAYS int after_readers(void *lock) {
    __atomic_load_n(&rwlock_of(lock)->readers, __ATOMIC_ACQUIRE);
    return 0;
}

/* 0: a thread that is not kept. */
ALWAYS unsigned reader_bit(void) {
    thread_number self = __heddle_self();
    return self > 32 ? 0 : 1u << ((self - 1) & 31);
}

/* The caller has the lock for reading. */
ALWAYS int as_reader(void *lock) {
    struct rwlock *state = rwlock_of(lock);
    unsigned bit = reader_bit();
    unsigned is_again = __atomic_load_n(&state->again, __ATOMIC_RELAXED) & bit;
    if (is_again) {
        __atomic_fetch_and(&state->readers, ~bit, __ATOMIC_RELAXED);
    } else if (__atomic_fetch_or(&state->readers, bit, __ATOMIC_RELAXED) & bit) {
        __atomic_fetch_or(&state->again, bit, __ATOMIC_RELAXED);
    }
    return 0;
}

/* Removes the caller, if it may be one, from the readers; whether it may be one. */
ALWAYS int leave_readers(void *lock) {
    struct rwlock *state = rwlock_of(lock);
    unsigned bit = reader_bit();
    unsigned is_reader = __atomic_load_n(&state->readers, __ATOMIC_RELAXED) & bit;
    unsigned is_again = __atomic_load_n(&state->again, __ATOMIC_RELAXED) & bit;
    if (bit && !is_reader && !is_again) return 0;
    if (is_reader && is_again) __atomic_fetch_and(&state->again, ~bit, __ATOMIC_RELAXED);
    /* A read-modify-write, so that a writer learns of all readers and not only of the last one. */
    __atomic_fetch_and(&state->readers, is_again ? ~0u : ~bit, __ATOMIC_RELEASE);
    __atomic_fetch_sub(cell_of(lock), 1, __ATOMIC_RELAXED);
    return 1;
}

int pthread_rwlock_init(void *lock, const void *attributes) {
    if (attributes) attributes_read(attributes);
    cell_put(cell_of(lock), 0);
    return 0;
}

int pthread_rwlock_destroy(void *lock) {
    int is_held = cell_get(cell_of(lock)) != 0;
    __heddle_assert(!is_held, "locks", "destroy of a read-write lock that is held");
    return is_held ? EBUSY : 0;
}

int pthread_rwlock_rdlock(void *lock) {
    if (is_mine(lock)) return EDEADLK;
    __heddle_await(cell_of(lock), HEDDLE_GE_ADD, 0, 1, HEDDLE_BLOCKING, "read-write lock");
    return as_reader(lock);
}

int pthread_rwlock_wrlock(void *lock) {
    if (is_mine(lock)) return EDEADLK;
    __heddle_await(cell_of(lock), HEDDLE_EQ_SET, 0, -self_number(), HEDDLE_BLOCKING, "read-write lock");
    return after_readers(lock);
}

int pthread_rwlock_tryrdlock(void *lock) {
    __heddle_atomic_begin();
    int is_free = cell_get(cell_of(lock)) >= 0;
    if (is_free) __atomic_fetch_add(cell_of(lock), 1, __ATOMIC_ACQUIRE);
    __heddle_atomic_end();
    return is_free ? as_reader(lock) : EBUSY;
}

int pthread_rwlock_trywrlock(void *lock) {
    int expected = 0, self = self_number();
    return __atomic_compare_exchange_n(cell_of(lock), &expected, -self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
               ? after_readers(lock)
               : EBUSY;
}

int pthread_rwlock_timedrdlock(void *lock, const void *deadline) {
    if (is_bad_time(deadline)) return pthread_rwlock_tryrdlock(lock) == 0 ? 0 : EINVAL;
    if (is_mine(lock)) return EDEADLK;
    int is_late = __heddle_await(cell_of(lock), HEDDLE_GE_ADD, 0, 1, HEDDLE_TIMED, "read-write lock");
    return is_late ? ETIMEDOUT : as_reader(lock);
}

int pthread_rwlock_timedwrlock(void *lock, const void *deadline) {
    if (is_bad_time(deadline)) return pthread_rwlock_trywrlock(lock) == 0 ? 0 : EINVAL;
    if (is_mine(lock)) return EDEADLK;
    int self = self_number();
    int is_late = __heddle_await(cell_of(lock), HEDDLE_EQ_SET, 0, -self, HEDDLE_TIMED, "read-write lock");
    return is_late ? ETIMEDOUT : after_readers(lock);
}

int pthread_rwlock_clockrdlock(void *lock, int clock, const void *deadline) {
    return is_bad_clock(clock) ? EINVAL : pthread_rwlock_timedrdlock(lock, deadline);
}

int pthread_rwlock_clockwrlock(void *lock, int clock, const void *deadline) {
    return is_bad_clock(clock) ? EINVAL : pthread_rwlock_timedwrlock(lock, deadline);
}

int pthread_rwlock_unlock(void *lock) {
    __heddle_atomic_begin();
    int value = cell_get(cell_of(lock));
    int is_held = value > 0 ? leave_readers(lock) : value == -self_number();
    __heddle_assert(is_held, "locks", "unlock of a read-write lock that the thread does not hold");
    if (value < 0 && is_held) cell_release(cell_of(lock), 0);
    __heddle_atomic_end();
    return is_held ? 0 : EPERM;
}

int pthread_rwlockattr_init(void *attributes) {
    int *state = attributes_init(attributes);
    cell_put(&state[0], 0);
    cell_put(&state[1], 0);
    return 0;
}

int pthread_rwlockattr_destroy(void *attributes) { return attributes_destroy(attributes); }

int pthread_rwlockattr_setpshared(void *attributes, int is_shared) { return set_flag(attributes, 0, is_shared); }

int pthread_rwlockattr_getpshared(const void *attributes, int *is_shared) {
    *is_shared = cell_get(attributes_read(attributes));
    return 0;
}

/* 0 and 1 both prefer readers in glibc. */
int pthread_rwlockattr_setkind_np(void *attributes, int preference) {
    if (preference == 2) __heddle_unmodelled("read-write lock that prefers writers");
    return set_flag(attributes, sizeof(int), preference);
}

int pthread_rwlockattr_getkind_np(const void *attributes, int *preference) {
    *preference = cell_get(&((int *)attributes_read(attributes))[1]);
    return 0;
}

/* Whether the caller has the lock, for writing or reading. Of the 33rd thread that is not known. */
int __heddle_owns_rwlock(void *lock) {
    struct rwlock *state = rwlock_of(lock);
    unsigned mine = (__atomic_load_n(&state->readers, __ATOMIC_RELAXED) | __atomic_load_n(&state->again, __ATOMIC_RELAXED)) & reader_bit();
    return is_mine(lock) || mine != 0;
}
