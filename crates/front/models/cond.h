/* Condition variables, for pthread_cond_*, cnd_* and std::condition_variable.
 *
 * A record holds the set of waiting threads, one bit each (thread numbers up to 64). Waiting enters the set and
 * releases the mutex in one step, waits until another thread removes the bit, and locks the mutex again. A signal
 * removes the bit of an arbitrary waiting thread; a spurious wake-up removes the thread's own bit.
 *
 * Waiting binds the mutex to the condition variable while some thread waits; to wait with another one is undefined
 * (POSIX pthread_cond_wait; C++ [thread.condition.condvar]). A condition variable may be destroyed as soon as all threads
 * are woken, and its memory freed afterwards, so destroying waits until they have left. Where either may happen, the functions
 * _bound keep the mutex, and the number of threads inside, in the record of the next word but one.
 */
#ifndef HEDDLE_COND_H
#define HEDDLE_COND_H

#include "mutex.h"

ALWAYS thread_set *waiters_of(const void *c) { return __heddle_ghost(c); }

ALWAYS void cond_init(void *c) { __atomic_store_n(waiters_of(c), 0, __ATOMIC_RELAXED); }

ALWAYS thread_set cond_enter(void *c) {
    thread_set bit = self_bit();
    __atomic_fetch_or(waiters_of(c), bit, __ATOMIC_RELAXED);
    return bit;
}

/* How a wait with a deadline ended, given whether it was woken: a spurious wake-up may look like a signal, but not where the deadline
 * had passed at the time of the call (POSIX pthread_cond_timedwait). */
ALWAYS int timed_result(int is_unready, int is_late, moment deadline) {
    return is_unready && (is_late || __heddle_choose(2)) ? timed_out(deadline) : 0;
}

ALWAYS void **binding_of(const void *c) { return __heddle_ghost((const char *)c + 8); }

ALWAYS int *inside_of(const void *c) { return (int *)binding_of(c) + 2; }

/* The last thing that a wait does with the condition variable. */
ALWAYS void cond_leave_bound(void *c) { __atomic_fetch_sub(inside_of(c), 1, __ATOMIC_RELEASE); }

/* Enters the set, in an atomic region. */
ALWAYS thread_set cond_enter_bound(void *c, void *m) {
    thread_set bit = self_bit();
    thread_set waiting = __atomic_fetch_or(waiters_of(c), bit, __ATOMIC_RELAXED);
    if (waiting != 0) {
        __heddle_assert(__atomic_load_n(binding_of(c), __ATOMIC_RELAXED) == m, "one-mutex");
    }
    __atomic_store_n(binding_of(c), m, __ATOMIC_RELAXED);
    __atomic_fetch_add(inside_of(c), 1, __ATOMIC_RELAXED);
    return bit;
}

/* How waiting begins: 0, or an error. */
ALWAYS int cond_begin_bound(void *c, void *m, thread_set *bit) {
    __heddle_atomic_begin();
    *bit = cond_enter_bound(c, m);
    int error = mutex_unlock(m);
    if (error) {
        __atomic_fetch_and(waiters_of(c), ~*bit, __ATOMIC_RELAXED);
        cond_leave_bound(c);
    }
    __heddle_atomic_end();
    return error;
}

ALWAYS int cond_wait_bound(void *c, void *m) {
    thread_set bit;
    int error = cond_begin_bound(c, m, &bit);
    if (error) return error;
    __heddle_await_clear(waiters_of(c), bit, HEDDLE_SPURIOUS, "condition");
    cond_leave_bound(c);
    return mutex_lock(m);
}

ALWAYS void cond_begin_simple_bound(void *c, void *m, thread_set *bit) {
    __heddle_atomic_begin();
    *bit = cond_enter_bound(c, m);
    __heddle_unlock(&mutex_of(m)->owner);
    __heddle_atomic_end();
}

ALWAYS int cond_wait_simple_bound(void *c, void *m) {
    thread_set bit;
    cond_begin_simple_bound(c, m, &bit);
    __heddle_await_clear(waiters_of(c), bit, HEDDLE_SPURIOUS, "condition");
    cond_leave_bound(c);
    __heddle_lock(&mutex_of(m)->owner);
    return 0;
}

ALWAYS int cond_wait(void *c, void *m) {
    __heddle_atomic_begin();
    thread_set bit = cond_enter(c);
    int error = mutex_unlock(m);
    if (error) __atomic_fetch_and(waiters_of(c), ~bit, __ATOMIC_RELAXED);
    __heddle_atomic_end();
    if (error) return error;
    __heddle_await_clear(waiters_of(c), bit, HEDDLE_SPURIOUS, "condition");
    return mutex_lock(m);
}

ALWAYS int cond_wait_simple(void *c, void *m) {
    __heddle_atomic_begin();
    thread_set bit = cond_enter(c);
    __heddle_unlock(&mutex_of(m)->owner);
    __heddle_atomic_end();
    __heddle_await_clear(waiters_of(c), bit, HEDDLE_SPURIOUS, "condition");
    __heddle_lock(&mutex_of(m)->owner);
    return 0;
}

ALWAYS int cond_timedwait(void *c, void *m, int clock, const void *deadline) {
    if (is_bad_time(deadline)) return EINVAL;
    moment until = deadline_of(clock, deadline);
    int is_late = has_passed(clock, deadline, until);
    __heddle_atomic_begin();
    thread_set bit = cond_enter(c);
    int error = mutex_unlock(m);
    if (error) __atomic_fetch_and(waiters_of(c), ~bit, __ATOMIC_RELAXED);
    __heddle_atomic_end();
    if (error) return error;
    int is_unready = __heddle_await_clear(waiters_of(c), bit, HEDDLE_TIMED, "condition");
    error = mutex_lock(m);
    return error ? error : timed_result(is_unready, is_late, until);
}

ALWAYS int cond_timedwait_bound(void *c, void *m, int clock, const void *deadline) {
    if (is_bad_time(deadline)) return EINVAL;
    moment until = deadline_of(clock, deadline);
    int is_late = has_passed(clock, deadline, until);
    thread_set bit;
    int error = cond_begin_bound(c, m, &bit);
    if (error) return error;
    int is_unready = __heddle_await_clear(waiters_of(c), bit, HEDDLE_TIMED, "condition");
    cond_leave_bound(c);
    error = mutex_lock(m);
    return error ? error : timed_result(is_unready, is_late, until);
}

ALWAYS int cond_timedwait_simple_bound(void *c, void *m, int clock, const void *deadline) {
    if (is_bad_time(deadline)) return EINVAL;
    moment until = deadline_of(clock, deadline);
    int is_late = has_passed(clock, deadline, until);
    thread_set bit;
    cond_begin_simple_bound(c, m, &bit);
    int is_unready = __heddle_await_clear(waiters_of(c), bit, HEDDLE_TIMED, "condition");
    cond_leave_bound(c);
    __heddle_lock(&mutex_of(m)->owner);
    return timed_result(is_unready, is_late, until);
}

ALWAYS int cond_timedwait_simple(void *c, void *m, int clock, const void *deadline) {
    if (is_bad_time(deadline)) return EINVAL;
    moment until = deadline_of(clock, deadline);
    int is_late = has_passed(clock, deadline, until);
    __heddle_atomic_begin();
    thread_set bit = cond_enter(c);
    __heddle_unlock(&mutex_of(m)->owner);
    __heddle_atomic_end();
    int is_unready = __heddle_await_clear(waiters_of(c), bit, HEDDLE_TIMED, "condition");
    __heddle_lock(&mutex_of(m)->owner);
    return timed_result(is_unready, is_late, until);
}

/* Takes one waiting thread out of the set, in a region. */
ALWAYS void cond_wake_one(void *c) {
    thread_set waiting = __atomic_load_n(waiters_of(c), __ATOMIC_RELAXED);
    if (waiting == 0) return;
    thread_set rest = waiting;
    /* Nothing is chosen where there is no choice. */
    if ((rest & (rest - 1)) != 0) {
        unsigned skipped = __heddle_choose((unsigned)__builtin_popcountll(waiting));
        for (; skipped > 0; skipped--) rest &= rest - 1;
    }
    __atomic_fetch_and(waiters_of(c), ~(rest & -rest), __ATOMIC_RELEASE);
}

/* Signals of POSIX synchronise memory even if no thread waits (4.12); those of C and C++ order something only if they wake a thread. */
ALWAYS void cond_signal(void *c) {
    __heddle_atomic_begin();
    cond_wake_one(c);
    __heddle_atomic_end();
}

ALWAYS void cond_broadcast(void *c) { __atomic_fetch_and(waiters_of(c), 0, __ATOMIC_RELEASE); }

ALWAYS void cond_notify_one(void *c) {
    __heddle_relaxed_begin();
    cond_wake_one(c);
    __heddle_relaxed_end();
}

ALWAYS void cond_notify_all(void *c) {
    __heddle_relaxed_begin();
    if (__atomic_load_n(waiters_of(c), __ATOMIC_RELAXED) != 0) __atomic_fetch_and(waiters_of(c), 0, __ATOMIC_RELEASE);
    __heddle_relaxed_end();
}

ALWAYS void cond_destroy(void *c) {
    thread_set waiting = __atomic_load_n(waiters_of(c), __ATOMIC_RELAXED);
    __heddle_assert(waiting == 0, "destroyed-idle condition");
}

ALWAYS void cond_destroy_bound(void *c) {
    cond_destroy(c);
    __heddle_await(inside_of(c), HEDDLE_EQ_SET, 0, 0, HEDDLE_BLOCKING, "departure condition");
}

#endif
