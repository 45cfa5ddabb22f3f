/* Models pthread_cond_* and pthread_condattr_*, see cond.h. Waiting without holding the mutex violates `locks`.
 *
 * So does waiting with another mutex than those who already wait. A deadline may pass at any time, but by a monotonic clock it is past then.
 */
#include "attributes.h"
#include "cond.h"

struct condattr {
    int clock;
    int is_shared;
};

/* The clock that pthread_cond_timedwait is measured by, in the record of the next word. */
ALWAYS int *clock_of(const void *c) { return __heddle_ghost((const char *)c + 4); }

ALWAYS void set_clock(void *c, const struct condattr *state) {
    if (__heddle_needs(HEDDLE_MEASURED)) cell_put(clock_of(c), state ? cell_get(&state->clock) : CLOCK_REALTIME);
}

ALWAYS int clock_by(const void *c) { return __heddle_needs(HEDDLE_MEASURED) ? cell_get(clock_of(c)) : CLOCK_REALTIME; }

int pthread_cond_init(void *c, const void *attributes) {
    set_clock(c, attributes ? attributes_read(attributes) : NULL);
    cond_init(c);
    return 0;
}

int pthread_cond_destroy(void *c) {
    cond_destroy(c);
    return 0;
}

int pthread_cond_destroy__bound(void *c) {
    cond_destroy_bound(c);
    return 0;
}

int pthread_cond_wait(void *c, void *m) { return cond_wait(c, m); }

int pthread_cond_wait__simple(void *c, void *m) { return cond_wait_simple(c, m); }

int pthread_cond_timedwait(void *c, void *m, const void *deadline) { return cond_timedwait(c, m, clock_by(c), deadline); }

int pthread_cond_timedwait__simple(void *c, void *m, const void *deadline) {
    return cond_timedwait_simple(c, m, clock_by(c), deadline);
}

int pthread_cond_clockwait(void *c, void *m, int clock, const void *deadline) {
    return is_bad_clock(clock) ? EINVAL : cond_timedwait(c, m, clock, deadline);
}

int pthread_cond_clockwait__simple(void *c, void *m, int clock, const void *deadline) {
    return is_bad_clock(clock) ? EINVAL : cond_timedwait_simple(c, m, clock, deadline);
}

int pthread_cond_wait__bound(void *c, void *m) { return cond_wait_bound(c, m); }

int pthread_cond_timedwait__bound(void *c, void *m, const void *deadline) {
    return cond_timedwait_bound(c, m, clock_by(c), deadline);
}

int pthread_cond_clockwait__bound(void *c, void *m, int clock, const void *deadline) {
    return is_bad_clock(clock) ? EINVAL : cond_timedwait_bound(c, m, clock, deadline);
}

int pthread_cond_wait__simple_bound(void *c, void *m) { return cond_wait_simple_bound(c, m); }

int pthread_cond_timedwait__simple_bound(void *c, void *m, const void *deadline) {
    return cond_timedwait_simple_bound(c, m, clock_by(c), deadline);
}

int pthread_cond_clockwait__simple_bound(void *c, void *m, int clock, const void *deadline) {
    return is_bad_clock(clock) ? EINVAL : cond_timedwait_simple_bound(c, m, clock, deadline);
}

int pthread_cond_signal(void *c) {
    cond_signal(c);
    return 0;
}

int pthread_cond_broadcast(void *c) {
    cond_broadcast(c);
    return 0;
}

int pthread_condattr_init(void *attributes) {
    struct condattr *state = attributes_init(attributes);
    cell_put(&state->clock, 0);
    cell_put(&state->is_shared, 0);
    return 0;
}

int pthread_condattr_destroy(void *attributes) { return attributes_destroy(attributes); }

int pthread_condattr_setclock(void *attributes, int clock) {
    return set_flag(attributes, __builtin_offsetof(struct condattr, clock), clock);
}

int pthread_condattr_getclock(const void *attributes, int *clock) {
    *clock = cell_get(&((struct condattr *)attributes_read(attributes))->clock);
    return 0;
}

int pthread_condattr_setpshared(void *attributes, int is_shared) {
    return set_flag(attributes, __builtin_offsetof(struct condattr, is_shared), is_shared);
}

int pthread_condattr_getpshared(const void *attributes, int *is_shared) {
    *is_shared = cell_get(&((struct condattr *)attributes_read(attributes))->is_shared);
    return 0;
}
