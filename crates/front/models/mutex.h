/* Mutexes of every kind, for pthread_mutex_*, mtx_* and the condition variables.
 *
 * A record holds the owner's thread number, how often beyond the first time the owner has locked it (recursive kind
 * only) and the kind plus 1, with a bit for a mutex of C11 without a timeout. Kind 0 there means that no init function was called; then the kind is read from where
 * glibc's static initialisers put it. A program with a smaller mutex type of its own that also uses other kinds than
 * the normal one would be read beyond its mutex there, which is reported as invalid memory access, not skipped.
 */
#ifndef HEDDLE_MUTEX_H
#define HEDDLE_MUTEX_H

#include "heddle.h"

enum { NORMAL, RECURSIVE, ERRORCHECK, ADAPTIVE, UNTIMED = 16 };

struct mutex {
    int owner;
    int extra;
    int kind;
};

ALWAYS struct mutex *mutex_of(const void *m) { return __heddle_ghost(m); }

ALWAYS int mutex_kind(const void *m) {
    int kind = cell_get(&mutex_of(m)->kind);
    if (kind != 0) return (kind & (UNTIMED - 1)) - 1;
    kind = *(const int *)((const char *)m + (sizeof(void *) == 8 ? 16 : 12));
    if (kind < NORMAL || kind > ADAPTIVE) __heddle_unmodelled("mutex that is robust or has a protocol");
    return kind;
}

/* POSIX leaves undefined what initialising a mutex again does; here it violates `locks` while the mutex is held. */
ALWAYS void mutex_init_owner(void *m) {
    __heddle_assert(cell_get(&mutex_of(m)->owner) == 0, "initialised-free");
    cell_put(&mutex_of(m)->owner, 0);
}

ALWAYS void mutex_init(void *m, int kind) {
    struct mutex *state = mutex_of(m);
    mutex_init_owner(m);
    cell_put(&state->extra, 0);
    cell_put(&state->kind, kind + 1);
}

ALWAYS int mutex_is_mine(const void *m) { return cell_get(&mutex_of(m)->owner) == self_number(); }

/* What locking a mutex the caller already holds does: 0 if it is locked once more, an error, or -1 if it blocks. */
ALWAYS int mutex_relock(void *m, int kind) {
    struct mutex *state = mutex_of(m);
    if (kind == RECURSIVE) {
        cell_put(&state->extra, cell_get(&state->extra) + 1);
        return 0;
    }
    return kind == ERRORCHECK ? EDEADLK : -1;
}

ALWAYS int mutex_lock(void *m) {
    int kind = mutex_kind(m);
    if (kind == RECURSIVE || kind == ERRORCHECK) {
        if (mutex_is_mine(m)) return mutex_relock(m, kind);
    }
    __heddle_lock(&mutex_of(m)->owner);
    return 0;
}

ALWAYS int mutex_unlock(void *m) {
    struct mutex *state = mutex_of(m);
    int kind = mutex_kind(m);
    if (kind == RECURSIVE || kind == ERRORCHECK) {
        if (!mutex_is_mine(m)) {
            __heddle_assert_defined(0, "unlocked-by-holder mutex");
            return EPERM;
        }
        int extra = cell_get(&state->extra);
        if (extra > 0) {
            cell_put(&state->extra, extra - 1);
            return 0;
        }
    }
    __heddle_unlock(&state->owner);
    return 0;
}

/* Takes a free mutex, or gives EBUSY; no kind but the normal one. */
ALWAYS int mutex_try_normal(void *m) {
    int *owner = &mutex_of(m)->owner, expected = 0, self = self_number();
    return __atomic_compare_exchange_n(owner, &expected, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED) ? 0 : EBUSY;
}

/* The same for any kind, but it may spuriously return EBUSY. */
ALWAYS int mutex_try_weakly(void *m) {
    int *owner = &mutex_of(m)->owner, expected = 0, self = self_number();
    if (mutex_kind(m) == RECURSIVE && mutex_is_mine(m)) {
        return __heddle_choose(2) ? EBUSY : mutex_relock(m, RECURSIVE);
    }
    return __atomic_compare_exchange_n(owner, &expected, self, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED) ? 0 : EBUSY;
}

ALWAYS int mutex_trylock(void *m) {
    int kind = mutex_kind(m);
    if (kind == RECURSIVE && mutex_is_mine(m)) return mutex_relock(m, kind);
    return mutex_try_normal(m);
}

/* As above, but waits for a while. */
ALWAYS int mutex_timed_normal(void *m, int clock, const void *deadline) {
    if (is_bad_time(deadline)) return mutex_try_normal(m) == 0 ? 0 : EINVAL;
    moment until = deadline_of(clock, deadline);
    int is_late = __heddle_await(&mutex_of(m)->owner, HEDDLE_EQ_SET, 0, self_number(), HEDDLE_TIMED, "mutex");
    return is_late ? timed_out(until) : 0;
}

ALWAYS int mutex_timedlock(void *m, int clock, const void *deadline) {
    int kind = mutex_kind(m);
    if (kind == RECURSIVE || kind == ERRORCHECK) {
        if (mutex_is_mine(m)) return mutex_relock(m, kind);
    }
    return mutex_timed_normal(m, clock, deadline);
}

ALWAYS int mutex_destroy(void *m) {
    int is_held = cell_get(&mutex_of(m)->owner) != 0;
    __heddle_assert(!is_held, "destroyed-idle mutex");
    return is_held ? EBUSY : 0;
}

#endif
