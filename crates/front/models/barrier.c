/* Models pthread_barrier_* and pthread_barrierattr_*.
 *
 * A record holds the set of threads that have arrived and wait, and twice the number of threads needed, plus 1 if
 * the thread that will get PTHREAD_BARRIER_SERIAL_THREAD in this round has been found. That can be any thread of the
 * round: each one that arrives may take it, and the last one must if it is still there. The last one empties the
 * set, which lets the others go on and makes the barrier ready for the next round. Thread numbers go up to 64. A
 * barrier used before it is initialised is unmodelled; destroying one on which a thread waits violates `locks`. POSIX lets a
 * barrier be destroyed as soon as no thread is blocked on it, and its memory be freed afterwards: where that may be before the others have
 * left, the functions __bound count who is inside, and destroying waits for them, as glibc does.
 */
#include "attributes.h"

enum { SERIAL_THREAD = -1 };

struct barrier {
    thread_set arrived;
    int needed;
};

int pthread_barrier_init(void *b, const void *attributes, unsigned count) {
    if (attributes) attributes_read(attributes);
    if (count == 0 || count >= 0x7fffffffu) return EINVAL;
    if (count > 0x3fffffffu) __heddle_unmodelled("barrier for more than 2^30 threads");
    struct barrier *state = __heddle_ghost(b);
    __atomic_store_n(&state->arrived, 0, __ATOMIC_RELAXED);
    cell_put(&state->needed, (int)(2 * count));
    return 0;
}

ALWAYS int barrier_destroy(void *b) {
    struct barrier *state = __heddle_ghost(b);
    thread_set arrived = __atomic_load_n(&state->arrived, __ATOMIC_RELAXED);
    __heddle_assert(arrived == 0, "destroyed-idle barrier");
    cell_put(&state->needed, 0);
    return 0;
}

int pthread_barrier_destroy(void *b) { return barrier_destroy(b); }

/* Arrives: the number of threads needed if the caller is the last one, else 0. Inside an atomic region. */
ALWAYS int arrive(struct barrier *state, thread_set bit) {
    int needed = cell_get(&state->needed) / 2;
    if (needed == 0) __heddle_unmodelled("barrier that is not initialised, or was destroyed");
    thread_set arrived = __atomic_fetch_or(&state->arrived, bit, __ATOMIC_ACQ_REL) | bit;
    if (__builtin_popcountll(arrived) < needed) return 0;
    __atomic_store_n(&state->arrived, 0, __ATOMIC_RELEASE);
    return needed;
}

ALWAYS int barrier_wait(void *b) {
    struct barrier *state = __heddle_ghost(b);
    thread_set bit = self_bit();
    int is_serial = 0;
    __heddle_atomic_begin();
    int needed = arrive(state, bit);
    int is_found = cell_get(&state->needed) & 1;
    if (needed != 0) {
        is_serial = !is_found;
        if (is_found) cell_put(&state->needed, 2 * needed);
    } else if (!is_found && __heddle_choose(2)) {
        is_serial = 1;
        cell_put(&state->needed, cell_get(&state->needed) + 1);
    }
    __heddle_atomic_end();
    if (needed == 0) __heddle_await_clear(&state->arrived, bit, HEDDLE_BLOCKING, "barrier");
    return is_serial ? SERIAL_THREAD : 0;
}

int pthread_barrier_wait(void *b) { return barrier_wait(b); }

ALWAYS int barrier_wait_unused(void *b) {
    struct barrier *state = __heddle_ghost(b);
    thread_set bit = self_bit();
    __heddle_atomic_begin();
    int needed = arrive(state, bit);
    if (needed != 0) cell_put(&state->needed, 2 * needed);
    __heddle_atomic_end();
    if (needed == 0) __heddle_await_clear(&state->arrived, bit, HEDDLE_BLOCKING, "barrier");
    return 0;
}

int pthread_barrier_wait__unused(void *b) { return barrier_wait_unused(b); }

/* How many threads are inside, in the record of the next word but one. */
ALWAYS int *inside_of(void *b) { return __heddle_ghost((char *)b + 8); }

int pthread_barrier_wait__bound(void *b) {
    __atomic_fetch_add(inside_of(b), 1, __ATOMIC_RELAXED);
    int result = barrier_wait(b);
    __atomic_fetch_sub(inside_of(b), 1, __ATOMIC_RELEASE);
    return result;
}

int pthread_barrier_wait__unused__bound(void *b) {
    __atomic_fetch_add(inside_of(b), 1, __ATOMIC_RELAXED);
    barrier_wait_unused(b);
    __atomic_fetch_sub(inside_of(b), 1, __ATOMIC_RELEASE);
    return 0;
}

int pthread_barrier_destroy__bound(void *b) {
    int result = barrier_destroy(b);
    __heddle_await(inside_of(b), HEDDLE_EQ_SET, 0, 0, HEDDLE_BLOCKING, "departure barrier");
    return result;
}

int pthread_barrierattr_init(void *attributes) {
    cell_put(attributes_init(attributes), 0);
    return 0;
}

int pthread_barrierattr_destroy(void *attributes) { return attributes_destroy(attributes); }

int pthread_barrierattr_setpshared(void *attributes, int is_shared) { return set_flag(attributes, 0, is_shared); }

int pthread_barrierattr_getpshared(const void *attributes, int *is_shared) {
    *is_shared = cell_get(attributes_read(attributes));
    return 0;
}
