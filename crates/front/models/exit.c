/* Models the end of the process: atexit and __cxa_atexit, and errno. exit, abort and their like are native.
 *
 * Functions registered with atexit and __cxa_atexit (destructors of static objects of C++) share one table in ghost
 * memory and run in the thread that calls exit, or that returns from main, the last one registered first. Streams
 * are not flushed: output is no part of the state. Simplifications: at most 32 functions at a time, then unmodelled;
 * on_exit and at_quick_exit are unmodelled; so is calling exit, or returning from main, while the functions are called, which is
 * undefined (C11 7.22.4.4p2), and that the last thread to end calls them, after pthread_exit in main.
 */
#include "heddle.h"

enum { MOST_FUNCTIONS = 32 };

struct function {
    void (*fn)(void *);
    void *arg;
    /* 1 if the function has a parameter. */
    unsigned long has_parameter;
    unsigned long unused;
};

/* Only the ghost of these is used: it is four times as large. */
static char function_table[MOST_FUNCTIONS * sizeof(struct function) / 4] __attribute__((aligned(16)));
static int function_count;

ALWAYS int *count_of_functions(void) { return __heddle_ghost(&function_count); }

ALWAYS struct function *function_at(int index) { return (struct function *)__heddle_ghost(function_table) + index; }

static void add_function(void (*fn)(void *), void *arg, unsigned long has_parameter) {
    __heddle_atomic_begin();
    int count = cell_get(count_of_functions());
    if (count == MOST_FUNCTIONS) __heddle_unmodelled("more than 32 functions to call at exit");
    struct function *function = function_at(count);
    __atomic_store_n(&function->fn, fn, __ATOMIC_RELAXED);
    __atomic_store_n(&function->arg, arg, __ATOMIC_RELAXED);
    __atomic_store_n(&function->has_parameter, has_parameter, __ATOMIC_RELAXED);
    cell_release(count_of_functions(), count + 1);
    __heddle_atomic_end();
}

int atexit(void (*fn)(void)) {
    add_function((void (*)(void *))(void *)fn, NULL, 0);
    return 0;
}

int __cxa_atexit(void (*fn)(void *), void *arg, void *library) {
    (void)library;
    add_function(fn, arg, 1);
    return 0;
}

int on_exit(void (*fn)(int, void *), void *arg) {
    (void)fn, (void)arg;
    __heddle_unmodelled("on_exit");
}

int at_quick_exit(void (*fn)(void)) {
    (void)fn;
    __heddle_unmodelled("at_quick_exit");
}

static int is_exiting;

static void call_functions(void) {
    if (__atomic_exchange_n((int *)__heddle_ghost(&is_exiting), 1, __ATOMIC_RELAXED)) {
        __heddle_unmodelled("exit while the functions registered with atexit are called");
    }
    for (;;) {
        __heddle_atomic_begin();
        int count = __atomic_load_n(count_of_functions(), __ATOMIC_ACQUIRE);
        if (count > 0) cell_put(count_of_functions(), count - 1);
        struct function *function = function_at(count > 0 ? count - 1 : 0);
        void (*fn)(void *) = __atomic_load_n(&function->fn, __ATOMIC_RELAXED);
        void *arg = __atomic_load_n(&function->arg, __ATOMIC_RELAXED);
        unsigned long has_parameter = __atomic_load_n(&function->has_parameter, __ATOMIC_RELAXED);
        __heddle_atomic_end();
        if (count == 0) return;
        if (has_parameter) {
            fn(arg);
        } else {
            ((void (*)(void))(void *)fn)();
        }
    }
}

/* Thread-local variables of the thread that ends the process are destroyed first; keys are left alone. */
void __heddle_at_exit(void) {
    __heddle_destroy_variables();
    call_functions();
}

void __heddle_at_exit__plain(void) { call_functions(); }

/* Before the first thread ends without ending the process: the last thread to end would call the functions. */
void __heddle_before_thread_exit(void) {
    if (__heddle_self() == 1) __heddle_unmodelled("functions called at exit when the last thread ends (pthread_exit in main)");
}

static _Thread_local int error_number;

int *__errno_location(void) { return &error_number; }

/* How many pthread_cleanup_push of the running thread have no pthread_cleanup_pop yet, and how many calls of pthread_once run
 * its function, and destructors of thread-specific data: pthread_exit would have to undo the former, and must not be called in the latter. */
_Thread_local int __heddle_cleanups;
