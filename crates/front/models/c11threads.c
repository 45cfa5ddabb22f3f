/* Models C11's <threads.h> with glibc's constants: thrd_*, mtx_*, cnd_*, call_once (tss_* is in keys.c).
 *
 * A thrd_t is the thread's number, which is stored before the thread starts: thrd_create synchronises with its beginning.
 * Mutexes and condition variables are those of pthread. mtx_trylock may fail spuriously (C17 7.26.4.5), but not in
 * glibc. Simplifications: those of mutex.c, cond.c and keys.c.
 */
#include "cond.h"
#include "once.h"
#include "thread.h"

enum { SUCCESS, BUSY, ERROR, NO_MEMORY, TIMED_OUT };
enum { MTX_RECURSIVE = 1, MTX_TIMED = 2 };

ALWAYS int result_of(int error) {
    if (error == 0) return SUCCESS;
    if (error == EBUSY) return BUSY;
    return error == ETIMEDOUT ? TIMED_OUT : ERROR;
}

ALWAYS void *run(void *block) {
    struct start start = take_start(block);
    return (void *)(long)((int (*)(void *))(void *)start.fn)(start.arg);
}

static void *start_c11_thread(void *block) { __heddle_end_thread(run(block)); }

static void *start_c11_thread__plain(void *block) { return run(block); }

int thrd_create(thread_number *thread, int (*fn)(void *), void *arg) {
    thread_number number = __heddle_new_thread();
    *thread = number;
    __heddle_spawn(number, start_c11_thread, new_start((void *(*)(void *))(void *)fn, arg));
    return SUCCESS;
}

int thrd_create__plain(thread_number *thread, int (*fn)(void *), void *arg) {
    thread_number number = __heddle_new_thread();
    *thread = number;
    __heddle_spawn(number, start_c11_thread__plain, new_start((void *(*)(void *))(void *)fn, arg));
    return SUCCESS;
}

int thrd_join(thread_number thread, int *result) {
    if (thread == __heddle_self()) return ERROR;
    void *value = __heddle_join(thread);
    if (result) *result = (int)(long)value;
    return SUCCESS;
}

int thrd_detach(thread_number thread) {
    __heddle_detach(thread);
    return SUCCESS;
}

_Noreturn void thrd_exit(int result) {
    if (__heddle_cleanups != 0) __heddle_unmodelled("thrd_exit inside call_once or a destructor of thread-specific storage");
    __heddle_end_thread((void *)(long)result);
}

_Noreturn void thrd_exit__plain(int result) {
    if (__heddle_cleanups != 0) __heddle_unmodelled("thrd_exit inside call_once or a destructor of thread-specific storage");
    __heddle_exit_thread((void *)(long)result);
}

_Noreturn void thrd_exit__unwinds(int result) {
    (void)result;
    __heddle_unmodelled("thrd_exit in a program of C++ that may have destructors to run");
}

thread_number thrd_current(void) { return __heddle_self(); }

int thrd_equal(thread_number left, thread_number right) { return left == right; }

int thrd_sleep(const void *duration, void *remaining) {
    (void)remaining;
    if (is_bad_duration(duration)) return -2;
    sleep_like(duration);
    return 0;
}

void thrd_yield(void) {}

int mtx_init(void *m, int type) {
    if ((type & ~(MTX_RECURSIVE | MTX_TIMED)) != 0) return ERROR;
    mutex_init(m, (type & MTX_RECURSIVE ? RECURSIVE : NORMAL) | (type & MTX_TIMED ? 0 : UNTIMED));
    return SUCCESS;
}

void mtx_destroy(void *m) { mutex_destroy(m); }

int mtx_lock(void *m) { return result_of(mutex_lock(m)); }

int mtx_trylock(void *m) { return result_of(mutex_try_weakly(m)); }

int mtx_trylock__glibc(void *m) { return result_of(mutex_trylock(m)); }

/* C17 7.26.4.4p2 */
int mtx_timedlock(void *m, const void *deadline) {
    if (cell_get(&mutex_of(m)->kind) & UNTIMED) __heddle_unmodelled("undefined behaviour (mtx_timedlock of a mutex that is not mtx_timed)");
    return result_of(mutex_timedlock(m, CLOCK_REALTIME, deadline));
}

int mtx_unlock(void *m) { return result_of(mutex_unlock(m)); }

int cnd_init(void *c) {
    cond_init(c);
    return SUCCESS;
}

void cnd_destroy(void *c) { cond_destroy(c); }

void cnd_destroy__bound(void *c) { cond_destroy_bound(c); }

int cnd_wait(void *c, void *m) { return result_of(cond_wait(c, m)); }

int cnd_timedwait(void *c, void *m, const void *deadline) { return result_of(cond_timedwait(c, m, CLOCK_REALTIME, deadline)); }

int cnd_wait__bound(void *c, void *m) { return result_of(cond_wait_bound(c, m)); }

int cnd_timedwait__bound(void *c, void *m, const void *deadline) {
    return result_of(cond_timedwait_bound(c, m, CLOCK_REALTIME, deadline));
}

int cnd_signal(void *c) {
    cond_notify_one(c);
    return SUCCESS;
}

int cnd_broadcast(void *c) {
    cond_notify_all(c);
    return SUCCESS;
}

void call_once(void *once, void (*initialise)(void)) {
    if (once_enter(once)) {
        __heddle_cleanups++;
        initialise();
        __heddle_cleanups--;
        once_leave(once, ONCE_DONE);
    }
}
