/* Models pthread_rwlock_* and pthread_rwlockattr_*.
 *
 * The cell is the number of readers if positive, minus the writer's thread number if negative, and 0 if the lock is free. Unlocking a
 * lock that the caller does not hold violates `locks`; so does destroying one that is held.
 *
 * Readers do not synchronise with each other, although they all change the cell: a writer releases through the cell, and every
 * later owner acquires from it; a reader releases through a cell of its own, `readers`, from which only writers acquire. It is the set of
 * readers, one bit each; a bit matters to its own thread only. Where a thread may hold two read locks (HEDDLE_NESTED_READERS) the record of the next word
 * is the set of threads that do (`again_of`), and each thread counts further ones itself, for one lock at a time (`more`). Elsewhere, an unlock by a thread beyond the
 * 32nd of a lock that only others hold for reading is missed, which proofs state as a premise (ir::Premise::Readers).
 *
 * A thread that locks a lock it already holds waits forever or gets EDEADLK, as POSIX leaves it open; in glibc a writer gets EDEADLK,
 * and a reader that locks for writing waits.
 *
 * POSIX also leaves open whether a reader waits for a waiting writer; in glibc it does not. Where that may matter (HEDDLE_BLOCKED_WRITERS) the
 * upper half of the cell counts the waiting writers, and the lower half is as above.
 *
 * That a lock prefers writers (an attribute or static initialiser of glibc's) is unmodelled.
 */
#include "attributes.h"

struct rwlock {
    int cell;
    unsigned readers;
};

enum { WAITER = 0x10000, HOLDER = 0xffff, WRITES = 0x8000 };

/* What the thread reads under beyond what the lock keeps of it. */
static _Thread_local struct {
    void *lock;
    int times;
} more;

ALWAYS struct rwlock *rwlock_of(void *lock) { return __heddle_ghost(lock); }

ALWAYS int *cell_of(void *lock) { return &rwlock_of(lock)->cell; }

ALWAYS unsigned *again_of(void *lock) { return __heddle_ghost((char *)lock + 4); }

ALWAYS int holder_of(int value) {
    if (__heddle_needs(HEDDLE_BLOCKED_WRITERS)) return (short)value;
    return value;
}

/* Of a value that readers have. */
ALWAYS int has_waiters(int value) { return value >= WAITER; }

ALWAYS int writer_number(void) {
    int self = self_number();
    if (__heddle_needs(HEDDLE_BLOCKED_WRITERS) && self >= WRITES) __heddle_unmodelled("more than 32767 threads");
    return self;
}

/* Whether an implementation notices that the caller holds the lock already: for writing, or for reading while it asks for writing. */
int __heddle_notices_writer(void) { return (int)__heddle_choose(2); }

int __heddle_notices_writer__glibc(void) { return 1; }

int __heddle_notices_reader(void) { return (int)__heddle_choose(2); }

int __heddle_notices_reader__glibc(void) { return 0; }

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

ALWAYS int has_more(void *lock) { return more.times > 0 && more.lock == lock; }

/* The caller has the lock for reading. */
ALWAYS int as_reader(void *lock) {
    struct rwlock *state = rwlock_of(lock);
    unsigned bit = reader_bit();
    if (!__heddle_needs(HEDDLE_NESTED_READERS)) {
        __atomic_fetch_or(&state->readers, bit, __ATOMIC_RELAXED);
        return 0;
    }
    if (bit == 0 || __atomic_load_n(again_of(lock), __ATOMIC_RELAXED) & bit) {
        if (more.times > 0 && more.lock != lock) __heddle_unmodelled("many read locks of several kinds in one thread");
        more.lock = lock;
        more.times++;
    } else if (__atomic_fetch_or(&state->readers, bit, __ATOMIC_RELAXED) & bit) {
        __atomic_fetch_or(again_of(lock), bit, __ATOMIC_RELAXED);
    }
    return 0;
}

ALWAYS int is_reader(void *lock) {
    if (!__heddle_needs(HEDDLE_NESTED_READERS)) {
        return (__atomic_load_n(&rwlock_of(lock)->readers, __ATOMIC_RELAXED) & reader_bit()) != 0;
    }
    return (__atomic_load_n(&rwlock_of(lock)->readers, __ATOMIC_RELAXED) & reader_bit()) != 0 || has_more(lock);
}

/* Removes the caller, if it is one, from the readers; whether it is one. */
ALWAYS int leave_readers(void *lock) {
    struct rwlock *state = rwlock_of(lock);
    unsigned bit = reader_bit();
    if (!__heddle_needs(HEDDLE_NESTED_READERS)) {
        if (bit != 0 && !is_reader(lock)) return 0;
        __atomic_fetch_and(&state->readers, ~bit, __ATOMIC_RELEASE);
        __atomic_fetch_sub(cell_of(lock), 1, __ATOMIC_RELAXED);
        return 1;
    }
    if (!is_reader(lock)) return 0;
    int stays = 1;
    if (has_more(lock)) {
        more.times--;
    } else if (__atomic_load_n(again_of(lock), __ATOMIC_RELAXED) & bit) {
        __atomic_fetch_and(again_of(lock), ~bit, __ATOMIC_RELAXED);
    } else {
        stays = 0;
    }
    /* A read-modify-write, so that a writer learns of all readers and not only of the last one. */
    __atomic_fetch_and(&state->readers, stays ? ~0u : ~bit, __ATOMIC_RELEASE);
    __atomic_fetch_sub(cell_of(lock), 1, __ATOMIC_RELAXED);
    return 1;
}

/* The static initialiser that prefers writers: where glibc keeps the kind. */
ALWAYS void check_preference(const void *lock) {
    if (!__heddle_needs(HEDDLE_PREFERENCES)) return;
    int kind = sizeof(void *) == 8 ? ((const int *)lock)[12] : ((const char *)lock)[24];
    if (kind == 2) __heddle_unmodelled("read-write lock that prefers writers");
}

int pthread_rwlock_init(void *lock, const void *attributes) {
    if (attributes) attributes_read(attributes);
    cell_put(cell_of(lock), 0);
    return 0;
}

int pthread_rwlock_destroy(void *lock) {
    int is_held = cell_get(cell_of(lock)) != 0;
    __heddle_assert(!is_held, "destroyed-idle rwlock");
    return is_held ? EBUSY : 0;
}

/* Whether the caller, which requests the lock, gets EDEADLK because it holds it. */
ALWAYS int is_refused(void *lock, int holder, int for_writing) {
    if (holder == -self_number()) return __heddle_notices_writer();
    return for_writing && holder > 0 && is_reader(lock) && __heddle_notices_reader();
}

#define AWAIT(kind, a, b, mode) __heddle_await(cell_of(lock), kind, a, b, mode, "rwlock")

/* Waits until the lock is to be had for reading; whether it is not. */
#define WAIT_FOR_READING(mode)                                                                                         \
    (__heddle_needs(HEDDLE_BLOCKED_WRITERS) ? AWAIT(HEDDLE_CLEAR_ADD, WRITES, 1, mode) : AWAIT(HEDDLE_GE_ADD, 0, 1, mode))

/* The same for writing. */
#define WAIT_FOR_WRITING(mode)                                                                                         \
    (__heddle_needs(HEDDLE_BLOCKED_WRITERS) ? AWAIT(HEDDLE_CLEAR_ADD, HOLDER, -WAITER - writer_number(), mode)         \
                                            : AWAIT(HEDDLE_EQ_SET, 0, -self_number(), mode))

ALWAYS void begin_to_wait(void *lock) {
    if (__heddle_needs(HEDDLE_BLOCKED_WRITERS)) __atomic_fetch_add(cell_of(lock), WAITER, __ATOMIC_RELAXED);
}

int pthread_rwlock_rdlock(void *lock) {
    check_preference(lock);
    int value = cell_get(cell_of(lock));
    if (is_refused(lock, holder_of(value), 0)) return EDEADLK;
    if (__heddle_needs(HEDDLE_BLOCKED_WRITERS) && holder_of(value) > 0 && has_waiters(value) && __heddle_choose(2)) {
        AWAIT(HEDDLE_CLEAR_ADD, ~(WRITES - 1), 1, HEDDLE_BLOCKING);
    } else {
        WAIT_FOR_READING(HEDDLE_BLOCKING);
    }
    return as_reader(lock);
}

int pthread_rwlock_wrlock(void *lock) {
    if (is_refused(lock, holder_of(cell_get(cell_of(lock))), 1)) return EDEADLK;
    begin_to_wait(lock);
    WAIT_FOR_WRITING(HEDDLE_BLOCKING);
    return after_readers(lock);
}

int pthread_rwlock_tryrdlock(void *lock) {
    check_preference(lock);
    __heddle_relaxed_begin();
    int value = cell_get(cell_of(lock)), holder = holder_of(value);
    int is_free = holder >= 0;
    if (__heddle_needs(HEDDLE_BLOCKED_WRITERS) && holder > 0 && has_waiters(value) && __heddle_choose(2)) is_free = 0;
    if (is_free) __atomic_fetch_add(cell_of(lock), 1, __ATOMIC_ACQUIRE);
    __heddle_relaxed_end();
    return is_free ? as_reader(lock) : EBUSY;
}

int pthread_rwlock_trywrlock(void *lock) {
    int expected = 0, self = writer_number();
    if (!__heddle_needs(HEDDLE_BLOCKED_WRITERS)) {
        return __atomic_compare_exchange_n(cell_of(lock), &expected, -self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
                   ? after_readers(lock)
                   : EBUSY;
    }
    /* Others may wait meanwhile. */
    __heddle_relaxed_begin();
    int is_free = holder_of(cell_get(cell_of(lock))) == 0;
    if (is_free) __atomic_fetch_sub(cell_of(lock), self, __ATOMIC_ACQUIRE);
    __heddle_relaxed_end();
    return is_free ? after_readers(lock) : EBUSY;
}

int __heddle_wait_for_reading(void *lock, int clock, const void *deadline) {
    if (is_bad_time(deadline)) return pthread_rwlock_tryrdlock(lock) == 0 ? 0 : EINVAL;
    moment until = deadline_of(clock, deadline);
    check_preference(lock);
    if (is_refused(lock, holder_of(cell_get(cell_of(lock))), 0)) return EDEADLK;
    return WAIT_FOR_READING(HEDDLE_TIMED) ? timed_out(until) : as_reader(lock);
}

int __heddle_wait_for_writing(void *lock, int clock, const void *deadline) {
    if (is_bad_time(deadline)) return pthread_rwlock_trywrlock(lock) == 0 ? 0 : EINVAL;
    moment until = deadline_of(clock, deadline);
    if (is_refused(lock, holder_of(cell_get(cell_of(lock))), 1)) return EDEADLK;
    begin_to_wait(lock);
    if (!WAIT_FOR_WRITING(HEDDLE_TIMED)) return after_readers(lock);
    if (__heddle_needs(HEDDLE_BLOCKED_WRITERS)) __atomic_fetch_sub(cell_of(lock), WAITER, __ATOMIC_RELAXED);
    return timed_out(until);
}

int pthread_rwlock_timedrdlock(void *lock, const void *deadline) { return __heddle_wait_for_reading(lock, CLOCK_REALTIME, deadline); }

int pthread_rwlock_timedwrlock(void *lock, const void *deadline) { return __heddle_wait_for_writing(lock, CLOCK_REALTIME, deadline); }

int pthread_rwlock_clockrdlock(void *lock, int clock, const void *deadline) {
    return is_bad_clock(clock) ? EINVAL : __heddle_wait_for_reading(lock, clock, deadline);
}

int pthread_rwlock_clockwrlock(void *lock, int clock, const void *deadline) {
    return is_bad_clock(clock) ? EINVAL : __heddle_wait_for_writing(lock, clock, deadline);
}

int pthread_rwlock_unlock(void *lock) {
    __heddle_atomic_begin();
    int value = holder_of(cell_get(cell_of(lock)));
    int is_held = value > 0 ? leave_readers(lock) : value == -self_number();
    __heddle_assert(is_held, "unlocked-by-holder rwlock");
    if (value < 0 && is_held) {
        if (__heddle_needs(HEDDLE_BLOCKED_WRITERS)) {
            __atomic_fetch_sub(cell_of(lock), value, __ATOMIC_RELEASE);
        } else {
            cell_release(cell_of(lock), 0);
        }
    }
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

/* Whether the caller has the lock, for writing or reading. */
int __heddle_writes_rwlock(void *lock) { return holder_of(cell_get(cell_of(lock))) == -self_number(); }

int __heddle_owns_rwlock(void *lock) { return __heddle_writes_rwlock(lock) || is_reader(lock); }
