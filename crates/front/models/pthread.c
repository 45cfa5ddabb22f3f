/* Models threads: pthread_create, join, detach, exit, self, equal, and attributes of threads.
 *
 * A pthread_t is the thread's number. Creation never fails, nor does a join but of oneself (EDEADLK). pthread_create
 * stores the number when the thread may already run: POSIX does not promise the new thread to find it. Names, priorities, affinity and stacks have no effect.
 * Simplifications: cancellation, signals to threads, and ending a thread inside pthread_cleanup_push are unmodelled;
 * two threads that join each other block (glibc notices some of these cases).
 */
#include "thread.h"

struct attr {
    int is_detached;
    int scope;
    unsigned stack_kilobytes;
};

ALWAYS struct attr *attr_of(const void *attributes) { return __heddle_ghost(attributes); }

ALWAYS void detach_if_asked(thread_number number, const void *attributes) {
    if (attributes && cell_get(&attr_of(attributes)->is_detached)) __heddle_detach(number);
}

static void *start_thread(void *block) {
    struct start start = take_start(block);
    __heddle_end_thread(start.fn(start.arg));
}

int pthread_create(thread_number *thread, const void *attributes, void *(*fn)(void *), void *arg) {
    thread_number number = __heddle_new_thread();
    __heddle_spawn(number, start_thread, new_start(fn, arg));
    *thread = number;
    detach_if_asked(number, attributes);
    return 0;
}

int pthread_create__plain(thread_number *thread, const void *attributes, void *(*fn)(void *), void *arg) {
    thread_number number = __heddle_new_thread();
    __heddle_spawn(number, fn, arg);
    *thread = number;
    detach_if_asked(number, attributes);
    return 0;
}

int pthread_join(thread_number thread, void **result) {
    if (thread == __heddle_self()) return EDEADLK;
    void *value = __heddle_join(thread);
    if (result) *result = value;
    return 0;
}

int pthread_tryjoin_np(thread_number thread, void **result) {
    (void)thread, (void)result;
    __heddle_unmodelled("pthread_tryjoin_np");
}

int pthread_timedjoin_np(thread_number thread, void **result, const void *deadline) {
    (void)thread, (void)result, (void)deadline;
    __heddle_unmodelled("pthread_timedjoin_np");
}

int pthread_detach(thread_number thread) {
    __heddle_detach(thread);
    return 0;
}

/* How many pthread_cleanup_push of the running thread have no pthread_cleanup_pop yet. */
static _Thread_local int cleanups;

_Noreturn void __heddle_end_thread(void *result) {
    __heddle_at_thread_exit();
    __heddle_exit_thread(result);
}

_Noreturn void pthread_exit(void *result) {
    if (cleanups != 0) __heddle_unmodelled("pthread_exit inside pthread_cleanup_push");
    __heddle_end_thread(result);
}

_Noreturn void pthread_exit__plain(void *result) {
    if (cleanups != 0) __heddle_unmodelled("pthread_exit inside pthread_cleanup_push");
    __heddle_exit_thread(result);
}

void __pthread_register_cancel(void *buffer) {
    (void)buffer;
    cleanups++;
}

void __pthread_unregister_cancel(void *buffer) {
    (void)buffer;
    cleanups--;
}

_Noreturn void __pthread_unwind_next(void *buffer) {
    (void)buffer;
    __heddle_unmodelled("unwinding of a thread");
}

void _pthread_cleanup_push(void *buffer, void (*fn)(void *), void *arg) {
    (void)buffer, (void)fn, (void)arg;
    __heddle_unmodelled("_pthread_cleanup_push");
}

thread_number pthread_self(void) { return __heddle_self(); }

int pthread_equal(thread_number left, thread_number right) { return left == right; }

int pthread_yield(void) { return 0; }

int pthread_cancel(thread_number thread) {
    (void)thread;
    __heddle_unmodelled("pthread_cancel");
}

int pthread_kill(thread_number thread, int signal) {
    (void)thread, (void)signal;
    __heddle_unmodelled("pthread_kill");
}

/* Without pthread_cancel these change nothing that the program could see but through their second parameter. */
static _Thread_local int cancel_state, cancel_type;

int pthread_setcancelstate(int state, int *old) {
    if (state != 0 && state != 1) return EINVAL;
    if (old) *old = cancel_state;
    cancel_state = state;
    return 0;
}

int pthread_setcanceltype(int type, int *old) {
    if (type != 0 && type != 1) return EINVAL;
    if (old) *old = cancel_type;
    cancel_type = type;
    return 0;
}

void pthread_testcancel(void) {}

int pthread_attr_init(void *attributes) {
    struct attr *state = attr_of(attributes);
    cell_put(&state->is_detached, 0);
    cell_put(&state->scope, 0);
    __atomic_store_n(&state->stack_kilobytes, 8192, __ATOMIC_RELAXED);
    return 0;
}

int pthread_attr_destroy(void *attributes) {
    (void)attributes;
    return 0;
}

int pthread_attr_setdetachstate(void *attributes, int is_detached) {
    if (is_detached != 0 && is_detached != 1) return EINVAL;
    cell_put(&attr_of(attributes)->is_detached, is_detached);
    return 0;
}

int pthread_attr_getdetachstate(const void *attributes, int *is_detached) {
    *is_detached = cell_get(&attr_of(attributes)->is_detached);
    return 0;
}

int pthread_attr_setstacksize(void *attributes, size_t bytes) {
    if (bytes < 16384) return EINVAL;
    if (bytes % 1024 != 0) __heddle_unmodelled("stack size that is not a multiple of 1024");
    __atomic_store_n(&attr_of(attributes)->stack_kilobytes, (unsigned)(bytes / 1024), __ATOMIC_RELAXED);
    return 0;
}

int pthread_attr_getstacksize(const void *attributes, size_t *bytes) {
    *bytes = (size_t)__atomic_load_n(&attr_of(attributes)->stack_kilobytes, __ATOMIC_RELAXED) * 1024;
    return 0;
}

int pthread_attr_setstack(void *attributes, void *stack, size_t bytes) {
    (void)stack;
    return pthread_attr_setstacksize(attributes, bytes);
}

int pthread_attr_setscope(void *attributes, int scope) {
    if (scope != 0 && scope != 1) return EINVAL;
    cell_put(&attr_of(attributes)->scope, scope);
    return 0;
}

int pthread_attr_getscope(const void *attributes, int *scope) {
    *scope = cell_get(&attr_of(attributes)->scope);
    return 0;
}

int pthread_attr_setguardsize(void *attributes, size_t bytes) {
    (void)attributes, (void)bytes;
    return 0;
}

int pthread_attr_setinheritsched(void *attributes, int inherit) {
    (void)attributes;
    return inherit == 0 || inherit == 1 ? 0 : EINVAL;
}

int pthread_attr_setschedpolicy(void *attributes, int policy) {
    (void)attributes;
    return policy >= 0 && policy <= 2 ? 0 : EINVAL;
}

int pthread_attr_setschedparam(void *attributes, const void *parameters) {
    (void)attributes, (void)parameters;
    return 0;
}

int pthread_attr_setaffinity_np(void *attributes, size_t size, const void *set) {
    (void)attributes, (void)size, (void)set;
    return 0;
}

int pthread_setname_np(thread_number thread, const char *name) {
    (void)thread, (void)name;
    return 0;
}

int pthread_setaffinity_np(thread_number thread, size_t size, const void *set) {
    (void)thread, (void)size, (void)set;
    return 0;
}

int pthread_setschedparam(thread_number thread, int policy, const void *parameters) {
    (void)thread, (void)policy, (void)parameters;
    return 0;
}

int pthread_setschedprio(thread_number thread, int priority) {
    (void)thread, (void)priority;
    return 0;
}

int pthread_setconcurrency(int level) { return level < 0 ? EINVAL : 0; }

int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
    (void)prepare, (void)parent, (void)child;
    return 0;
}
