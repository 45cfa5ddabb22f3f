/* Models pthread_mutex_* and pthread_mutexattr_*: all kinds, with the return codes of glibc.
 *
 * The __simple variants are for programs whose mutexes are all normal: one native statement and no look at the kind.
 * Unlocking a mutex of any kind that the caller does not hold violates `locks`, and so does destroying one that is
 * held. The recursive and the error-checking kind also say EPERM, as POSIX defines; the others' behaviour is undefined.
 * Use after destruction is found by crates/front/src/misuse.rs. Simplifications: robust mutexes and priority protocols are
 * unmodelled; the count of a recursive mutex does not overflow.
 */
#include "mutex.h"

struct mutexattr {
    int kind;
    int is_shared;
};

int pthread_mutex_init(void *m, const void *attributes) {
    mutex_init(m, attributes ? cell_get(&((struct mutexattr *)__heddle_ghost(attributes))->kind) : NORMAL);
    return 0;
}

int pthread_mutex_init__simple(void *m, const void *attributes) {
    (void)attributes;
    cell_put(&mutex_of(m)->owner, 0);
    return 0;
}

int pthread_mutex_destroy(void *m) { return mutex_destroy(m); }

int pthread_mutex_lock(void *m) { return mutex_lock(m); }

int pthread_mutex_lock__simple(void *m) {
    __heddle_lock(&mutex_of(m)->owner);
    return 0;
}

int pthread_mutex_unlock(void *m) { return mutex_unlock(m); }

int pthread_mutex_unlock__simple(void *m) {
    __heddle_unlock(&mutex_of(m)->owner);
    return 0;
}

int pthread_mutex_trylock(void *m) { return mutex_trylock(m); }

int pthread_mutex_trylock__simple(void *m) { return mutex_try_normal(m); }

int pthread_mutex_timedlock(void *m, const void *deadline) { return mutex_timedlock(m, deadline); }

int pthread_mutex_timedlock__simple(void *m, const void *deadline) { return mutex_timed_normal(m, deadline); }

int pthread_mutex_clocklock(void *m, int clock, const void *deadline) {
    (void)clock;
    return mutex_timedlock(m, deadline);
}

int pthread_mutex_clocklock__simple(void *m, int clock, const void *deadline) {
    (void)clock;
    return mutex_timed_normal(m, deadline);
}

int pthread_mutex_consistent(void *m) {
    (void)m;
    return EINVAL;
}

int pthread_mutex_getprioceiling(const void *m, int *ceiling) {
    (void)m, (void)ceiling;
    return EINVAL;
}

int pthread_mutexattr_init(void *attributes) {
    struct mutexattr *state = __heddle_ghost(attributes);
    cell_put(&state->kind, NORMAL);
    cell_put(&state->is_shared, 0);
    return 0;
}

int pthread_mutexattr_destroy(void *attributes) {
    (void)attributes;
    return 0;
}

int pthread_mutexattr_settype(void *attributes, int kind) {
    if (kind < NORMAL || kind > ADAPTIVE) return EINVAL;
    cell_put(&((struct mutexattr *)__heddle_ghost(attributes))->kind, kind);
    return 0;
}

int pthread_mutexattr_setkind_np(void *attributes, int kind) { return pthread_mutexattr_settype(attributes, kind); }

int pthread_mutexattr_gettype(const void *attributes, int *kind) {
    *kind = cell_get(&((struct mutexattr *)__heddle_ghost(attributes))->kind);
    return 0;
}

int pthread_mutexattr_setpshared(void *attributes, int is_shared) {
    if (is_shared != 0 && is_shared != 1) return EINVAL;
    cell_put(&((struct mutexattr *)__heddle_ghost(attributes))->is_shared, is_shared);
    return 0;
}

int pthread_mutexattr_getpshared(const void *attributes, int *is_shared) {
    *is_shared = cell_get(&((struct mutexattr *)__heddle_ghost(attributes))->is_shared);
    return 0;
}

int pthread_mutexattr_setrobust(void *attributes, int robustness) {
    (void)attributes;
    if (robustness != 0) __heddle_unmodelled("robust mutex");
    return 0;
}

int pthread_mutexattr_getrobust(const void *attributes, int *robustness) {
    (void)attributes;
    *robustness = 0;
    return 0;
}

int pthread_mutexattr_setprotocol(void *attributes, int protocol) {
    (void)attributes;
    if (protocol != 0) __heddle_unmodelled("mutex with a priority protocol");
    return 0;
}

int pthread_mutexattr_getprotocol(const void *attributes, int *protocol) {
    (void)attributes;
    *protocol = 0;
    return 0;
}
