/* Models threads: pthread_create, join, detach, exit, self, equal, and attributes of threads.
 *
 * A pthread_t is the thread's number. Creation never fails, nor does a join but of oneself (EDEADLK). pthread_create
 * stores the number when the thread may already run: POSIX does not promise the new thread to find it. Names, priorities,
 * affinity and stacks have no effect; what the system may refuse, it may refuse here.
 * Simplifications: cancellation, signals to threads, and ending a thread inside pthread_cleanup_push are unmodelled; so is
 * pthread_exit in C++ where destructors may have to run, because glibc unwinds the stack;
 * two threads that join each other block (glibc notices some of these cases).
 */
#include "attributes.h"
#include "thread.h"

/* How to schedule a thread, as <sched.h> and <pthread.h> number it. */
enum { ORDINARY, FIRST_COME, ROUND_ROBIN, BATCH, IDLE = 5 };
enum { INHERITED, EXPLICIT };

struct attr {
    int is_detached;
    int inheritance;
    int is_initialised;
    int unused;
    int policy;
    /* 0: the default. */
    unsigned stack_kilobytes;
};

ALWAYS int is_detached(const struct attr *state) { return state && cell_get(&state->is_detached); }

/* The attributes of a new thread, or NULL: what threads do to the object later is not a matter of this thread. */
ALWAYS const struct attr *attr_of_new(const void *attributes) {
    return attributes ? attributes_read(attributes) : NULL;
}

/* Whether the system refuses the thread: scheduling that is not the ordinary one is a privilege. */
ALWAYS int is_refused(const struct attr *state) {
    return state && cell_get(&state->inheritance) == EXPLICIT && cell_get(&state->policy) != ORDINARY &&
           __heddle_choose(2);
}

static void *start_thread(void *block) {
    struct start start = take_start(block);
    __heddle_end_thread(start.fn(start.arg));
}

int pthread_create(thread_number *thread, const void *attributes, void *(*fn)(void *), void *arg) {
    const struct attr *state = attr_of_new(attributes);
    if (is_refused(state)) return EPERM;
    int detaches = is_detached(state);
    thread_number number = __heddle_new_thread();
    __heddle_spawn(number, start_thread, new_start(fn, arg));
    *thread = number;
    if (detaches) __heddle_detach(number);
    return 0;
}

int pthread_create__plain(thread_number *thread, const void *attributes, void *(*fn)(void *), void *arg) {
    const struct attr *state = attr_of_new(attributes);
    if (is_refused(state)) return EPERM;
    int detaches = is_detached(state);
    thread_number number = __heddle_new_thread();
    __heddle_spawn(number, fn, arg);
    *thread = number;
    if (detaches) __heddle_detach(number);
    return 0;
}

/* Where nothing initialises attributes there are none. */
ALWAYS void without_attributes(const void *attributes) {
    if (attributes) __heddle_unmodelled("attributes of a thread that nothing initialises");
}

int pthread_create__bare(thread_number *thread, const void *attributes, void *(*fn)(void *), void *arg) {
    without_attributes(attributes);
    thread_number number = __heddle_new_thread();
    __heddle_spawn(number, start_thread, new_start(fn, arg));
    *thread = number;
    return 0;
}

int pthread_create__plain_bare(thread_number *thread, const void *attributes, void *(*fn)(void *), void *arg) {
    without_attributes(attributes);
    thread_number number = __heddle_new_thread();
    __heddle_spawn(number, fn, arg);
    *thread = number;
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

_Noreturn void __heddle_end_thread(void *result) {
    __heddle_at_thread_exit();
    __heddle_exit_thread(result);
}

_Noreturn void pthread_exit(void *result) {
    if (__heddle_cleanups != 0) __heddle_unmodelled("pthread_exit inside pthread_cleanup_push, pthread_once or a destructor of thread-specific data");
    __heddle_end_thread(result);
}

_Noreturn void pthread_exit__plain(void *result) {
    if (__heddle_cleanups != 0) __heddle_unmodelled("pthread_exit inside pthread_cleanup_push, pthread_once or a destructor of thread-specific data");
    __heddle_exit_thread(result);
}

_Noreturn void pthread_exit__unwinds(void *result) {
    (void)result;
    __heddle_unmodelled("pthread_exit in a program of C++ that may have destructors to run");
}

void __pthread_register_cancel(void *buffer) {
    (void)buffer;
    __heddle_cleanups++;
}

void __pthread_unregister_cancel(void *buffer) {
    (void)buffer;
    __heddle_cleanups--;
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
    struct attr *state = attributes_init(attributes);
    cell_put(&state->is_detached, 0);
    cell_put(&state->inheritance, INHERITED);
    cell_put(&state->policy, ORDINARY);
    __atomic_store_n(&state->stack_kilobytes, 0, __ATOMIC_RELAXED);
    return 0;
}

int pthread_attr_destroy(void *attributes) { return attributes_destroy(attributes); }

int pthread_attr_setdetachstate(void *attributes, int is_detached) {
    return set_flag(attributes, __builtin_offsetof(struct attr, is_detached), is_detached);
}

int pthread_attr_getdetachstate(const void *attributes, int *is_detached) {
    *is_detached = cell_get(&((struct attr *)attributes_read(attributes))->is_detached);
    return 0;
}

enum { LEAST_STACK = 16384 };

int pthread_attr_setstacksize(void *attributes, size_t bytes) {
    if (bytes < LEAST_STACK) return EINVAL;
    if (bytes % 1024 != 0) __heddle_unmodelled("stack size that is not a multiple of 1024");
    struct attr *state = attributes_write(attributes);
    __atomic_store_n(&state->stack_kilobytes, (unsigned)(bytes / 1024), __ATOMIC_RELAXED);
    return 0;
}

/* The default is what the limits of the process say. */
int pthread_attr_getstacksize(const void *attributes, size_t *bytes) {
    struct attr *state = attributes_read(attributes);
    unsigned kilobytes = __atomic_load_n(&state->stack_kilobytes, __ATOMIC_RELAXED);
    if (kilobytes == 0) __heddle_unmodelled("default size of a stack");
    *bytes = (size_t)kilobytes * 1024;
    return 0;
}

int pthread_attr_setstack(void *attributes, void *stack, size_t bytes) {
    (void)attributes, (void)stack, (void)bytes;
    __heddle_unmodelled("thread on a stack that the program provides");
}

/* Linux has one scope, PTHREAD_SCOPE_SYSTEM. */
int pthread_attr_setscope(void *attributes, int scope) {
    if (scope != 0) return scope == 1 ? ENOTSUP : EINVAL;
    attributes_write(attributes);
    return 0;
}

int pthread_attr_getscope(const void *attributes, int *scope) {
    attributes_read(attributes);
    *scope = 0;
    return 0;
}

int pthread_attr_setguardsize(void *attributes, size_t bytes) {
    (void)bytes;
    attributes_write(attributes);
    return 0;
}

int pthread_attr_setinheritsched(void *attributes, int inheritance) {
    return set_flag(attributes, __builtin_offsetof(struct attr, inheritance), inheritance);
}

int pthread_attr_setschedpolicy(void *attributes, int policy) {
    if (policy < ORDINARY || policy > ROUND_ROBIN) return EINVAL;
    cell_put(&((struct attr *)attributes_write(attributes))->policy, policy);
    return 0;
}

/* Whether Linux has the priority that a `struct sched_param` asks for. */
ALWAYS int is_bad_priority(int policy, const void *parameters) {
    int priority = *(const volatile int *)parameters;
    return policy == ORDINARY ? priority != 0 : priority < 1 || priority > 99;
}

int pthread_attr_setschedparam(void *attributes, const void *parameters) {
    struct attr *state = attributes_write(attributes);
    return is_bad_priority(cell_get(&state->policy), parameters) ? EINVAL : 0;
}

int pthread_attr_setaffinity_np(void *attributes, size_t size, const void *set) {
    attributes_write(attributes);
    __heddle_read_bytes(set, size);
    return 0;
}

enum { LONGEST_NAME = 15 };

int pthread_setname_np(thread_number thread, const char *name) {
    (void)thread;
    size_t length = 0;
    while (name[length] != 0) length++;
    return length > LONGEST_NAME ? ERANGE : 0;
}

/* The system may not have the processors, or not let the thread use them. */
int pthread_setaffinity_np(thread_number thread, size_t size, const void *set) {
    (void)thread;
    __heddle_read_bytes(set, size);
    return __heddle_choose(2) ? EINVAL : 0;
}

/* What is not the ordinary way is a privilege. */
int pthread_setschedparam(thread_number thread, int policy, const void *parameters) {
    (void)thread;
    int is_linux = policy == BATCH || policy == IDLE;
    if (policy < ORDINARY || (policy > ROUND_ROBIN && !is_linux)) return EINVAL;
    if (is_bad_priority(is_linux ? ORDINARY : policy, parameters)) return EINVAL;
    return policy != ORDINARY && __heddle_choose(2) ? EPERM : 0;
}

int pthread_setschedprio(thread_number thread, int priority) {
    (void)thread, (void)priority;
    switch (__heddle_choose(3)) {
    case 0: return 0;
    case 1: return EINVAL;
    default: return EPERM;
    }
}

int pthread_setconcurrency(int level) { return level < 0 ? EINVAL : 0; }

int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
    (void)prepare, (void)parent, (void)child;
    return 0;
}
