/* Models pthread_mutex_* and pthread_mutexattr_*: all kinds, with the return codes of glibc.
 *
 * The __simple variants are for programs whose mutexes are all normal: one native statement and no look at the kind.
 * Unlocking a mutex of any kind that the caller does not hold violates `locks`, and so does destroying one that is
 * held. The recursive and the error-checking kind also say EPERM, as POSIX defines; the others' behaviour is undefined.
 * Use after destruction is found by crates/front/src/misuse.rs. Simplifications: robust mutexes and priority protocols are
 * unmodelled; the count of a recursive mutex does not overflow.
 */
#include "attributes.h"
#include "mutex.h"

struct mutexattr {
    int kind;
    int is_shared;
};

int pthread_mutex_init(void *m, const void *attributes) {
    mutex_init(m, attributes ? cell_get(&((struct mutexattr *)attributes_read(attributes))->kind) : NORMAL);
    return 0;
}

int pthread_mutex_init__simple(void *m, const void *attributes) {
    if (attributes) attributes_read(attributes);
    mutex_init_owner(m);
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

int pthread_mutex_timedlock(void *m, const void *deadline) { return mutex_timedlock(m, CLOCK_REALTIME, deadline); }

int pthread_mutex_timedlock__simple(void *m, const void *deadline) { return mutex_timed_normal(m, CLOCK_REALTIME, deadline); }

int pthread_mutex_clocklock(void *m, int clock, const void *deadline) {
    return is_bad_clock(clock) ? EINVAL : mutex_timedlock(m, clock, deadline);
}

int pthread_mutex_clocklock__simple(void *m, int clock, const void *deadline) {
    return is_bad_clock(clock) ? EINVAL : mutex_timed_normal(m, clock, deadline);
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
    struct mutexattr *state = attributes_init(attributes);
    cell_put(&state->kind, NORMAL);
    cell_put(&state->is_shared, 0);
    return 0;
}

int pthread_mutexattr_destroy(void *attributes) { return attributes_destroy(attributes); }

int pthread_mutexattr_settype(void *attributes, int kind) {
    if (kind < NORMAL || kind > ADAPTIVE) return EINVAL;
    cell_put(&((struct mutexattr *)attributes_write(attributes))->kind, kind);
    return 0;
}

int pthread_mutexattr_setkind_np(void *attributes, int kind) { return pthread_mutexattr_settype(attributes, kind); }

int pthread_mutexattr_gettype(const void *attributes, int *kind) {
    *kind = cell_get(&((struct mutexattr *)attributes_read(attributes))->kind);
    return 0;
}

int pthread_mutexattr_getkind_np(const void *attributes, int *kind) {
    return pthread_mutexattr_gettype(attributes, kind);
}

int pthread_mutexattr_setpshared(void *attributes, int is_shared) {
    return set_flag(attributes, __builtin_offsetof(struct mutexattr, is_shared), is_shared);
}

int pthread_mutexattr_getpshared(const void *attributes, int *is_shared) {
    *is_shared = cell_get(&((struct mutexattr *)attributes_read(attributes))->is_shared);
    return 0;
}

int pthread_mutexattr_setrobust(void *attributes, int robustness) {
    if (robustness != 0) __heddle_unmodelled("robust mutex");
    attributes_write(attributes);
    return 0;
}

int pthread_mutexattr_getrobust(const void *attributes, int *robustness) {
    attributes_read(attributes);
    *robustness = 0;
    return 0;
}

int pthread_mutexattr_setprotocol(void *attributes, int protocol) {
    if (protocol != 0) __heddle_unmodelled("mutex with a priority protocol");
    attributes_write(attributes);
    return 0;
}

int pthread_mutexattr_getprotocol(const void *attributes, int *protocol) {
    attributes_read(attributes);
    *protocol = 0;
    return 0;
}
