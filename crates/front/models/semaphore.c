/* Models unnamed POSIX semaphores: the cell holds the value.
 *
 * Simplifications: no signal handler ever interrupts a wait (installing one is unmodelled); the
 * value before initialisation is 0; named semaphores are unmodelled.
 */
#include "heddle.h"

enum { SEM_VALUE_MAX = 0x7fffffff };

ALWAYS int fail(int error) {
    *__errno_location() = error;
    return -1;
}

ALWAYS int *cell_of(void *semaphore) { return __heddle_ghost(semaphore); }

int sem_init(void *semaphore, int is_shared, unsigned value) {
    (void)is_shared;
    if (value > SEM_VALUE_MAX) return fail(EINVAL);
    cell_put(cell_of(semaphore), (int)value);
    return 0;
}

int sem_destroy(void *semaphore) {
    (void)semaphore;
    return 0;
}

int sem_wait(void *semaphore) {
    __heddle_await(cell_of(semaphore), HEDDLE_GE_ADD, 1, -1, HEDDLE_BLOCKING, "semaphore");
    return 0;
}

int sem_trywait(void *semaphore) {
    __heddle_relaxed_begin();
    int is_positive = cell_get(cell_of(semaphore)) > 0;
    if (is_positive) __atomic_fetch_sub(cell_of(semaphore), 1, __ATOMIC_ACQUIRE);
    __heddle_relaxed_end();
    return is_positive ? 0 : fail(EAGAIN);
}

ALWAYS int wait_until(void *semaphore, int clock, const void *deadline) {
    if (is_bad_time(deadline)) return sem_trywait(semaphore) == 0 ? 0 : fail(EINVAL);
    moment until = deadline_of(clock, deadline);
    int is_late = __heddle_await(cell_of(semaphore), HEDDLE_GE_ADD, 1, -1, HEDDLE_TIMED, "semaphore");
    return is_late ? fail(timed_out(until)) : 0;
}

int sem_timedwait(void *semaphore, const void *deadline) { return wait_until(semaphore, CLOCK_REALTIME, deadline); }

int sem_clockwait(void *semaphore, int clock, const void *deadline) {
    return is_bad_clock(clock) ? fail(EINVAL) : wait_until(semaphore, clock, deadline);
}

int sem_post(void *semaphore) {
    int old = __atomic_fetch_add(cell_of(semaphore), 1, __ATOMIC_RELEASE);
    if (old == SEM_VALUE_MAX) __heddle_unmodelled("semaphore that overflows");
    return 0;
}

int sem_getvalue(void *semaphore, int *value) {
    *value = cell_get(cell_of(semaphore));
    return 0;
}

void *sem_open(const char *name, int flags, ...) {
    (void)name, (void)flags;
    __heddle_unmodelled("sem_open");
}

int sem_close(void *semaphore) {
    (void)semaphore;
    __heddle_unmodelled("sem_close");
}

int sem_unlink(const char *name) {
    (void)name;
    __heddle_unmodelled("sem_unlink");
}
