/* The language of the models: what the lowering turns into statements of the core form.
 *
 * Everything named `__heddle_...` and declared here without a body is an intrinsic. The models are freestanding: no
 * system header, because the program may have been preprocessed with any C library. For the same reason they never
 * look into a pthread_mutex_t and its like: the state of a synchronisation object lives in the ghost record of its
 * address, 16 bytes that are zero when the object comes to life. Zero means never, or statically, initialised. Bytes
 * 12 to 15 of a record are left to stdlib.c, which keeps the size of an allocated block there.
 *
 * A function is taken from the models when the program refers to it and does not define it; so are the global
 * variables that the models define (`stdout`, `_ZSt4cout`, ...). Some functions have variants, marked by a suffix, which
 * the lowering prefers to the function itself when a condition holds. Without them everything stays right, and is
 * slower or less often decided (but for __bound, which does more than the function itself):
 *
 *   X__simple   all mutexes of the program are normal ones: nothing in it sets another kind
 *   X__plain    nothing runs when a thread ends: no use of pthread_key_create, tss_create, __cxa_thread_atexit
 *   X__bare     threads have no attributes: no use of pthread_attr_init (X__plain_bare: both)
 *   X__unwinds  some function of the program has something to do when the stack is unwound
 *   X__sized    sizes of blocks are wanted: some use of realloc, reallocarray, malloc_usable_size
 *   X__read     what the call reads of its arguments has been read, or is constant (crates/front/src/output.rs)
 *   X__weakly   what a timed lock of std::shared_timed_mutex calls, which may fail spuriously (except for --libc glibc)
 *   X__looked_at the program asks a C++ stream whether something has failed
 *   X__indicated the program asks for the state of a stream or for its number (feof, ferror, fileno)
 *   X__unused   the result of this call is not used (X__read_unused: both)
 *   X__bound    a condition variable may be waited for with two mutexes; or it, or a barrier, may be destroyed before a thread
 *               that was woken has left (X__simple_bound: and all mutexes are normal ones)
 *   X__replaced the program replaces some of C++'s operators new and delete, which others then call (without it that is wrong)
 *
 * Two follow what the user says of the C library (--libc):
 *
 *   X__glibc    glibc promises more than C11 and POSIX do
 *   X__instead  stands for an inline function of a C++ header, which the program defines itself, where by the standard
 *               it may do more than the header's does
 *
 * Calls of `__VERIFIER_nondet_*` are native too: an arbitrary value of the type.
 */
#ifndef HEDDLE_H
#define HEDDLE_H

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ssize_t;
typedef unsigned long thread_number;
/* A set of threads, one bit each. */
typedef unsigned long long thread_set __attribute__((aligned(8)));

#define NULL ((void *)0)
#define ALWAYS static inline __attribute__((always_inline, unused))

/* Ghost record of an address. */
void *__heddle_ghost(const void *p);

/* Threads. Numbers start at 1, which is the first thread's. */
thread_number __heddle_self(void);
thread_number __heddle_new_thread(void);
void __heddle_spawn(thread_number t, void *(*fn)(void *), void *arg);
void *__heddle_join(thread_number t);
void __heddle_detach(thread_number t);
_Noreturn void __heddle_exit_thread(void *result);

/* Locks: a cell holds the owner's thread number, or 0. */
void __heddle_lock(int *cell);
void __heddle_unlock(int *cell);

/* Waiting. `kind`, `mode` and `awaited` are literal; the last is what is waited for, in the words of ir::Awaited. Waits until the cell is ready, then updates it, in one step. The
 * result is 1 if the wait ended although the cell was not ready (and left the cell unchanged), else 0. */
enum {
    HEDDLE_EQ_SET,   /* *cell == a, then *cell = b */
    HEDDLE_NE,       /* *cell != a, no update */
    HEDDLE_GE_ADD,   /* *cell >= a (signed), then *cell += b */
    HEDDLE_CLEAR_ADD /* (*cell & a) == 0, then *cell += b */
};
enum {
    HEDDLE_BLOCKING,
    HEDDLE_SPURIOUS, /* may wake spuriously, but that does not prevent a deadlock */
    HEDDLE_TIMED     /* ends sooner or later */
};
int __heddle_await(int *cell, int kind, int a, int b, int mode, const char *awaited);
/* Waits until (*cell & mask) == 0. A spurious wake-up clears the mask's bits itself, in the same step. */
int __heddle_await_clear(thread_set *cell, thread_set mask, int mode, const char *awaited);

/* Whether the program has a property that requires more of the models than most programs need; `what` is literal. The answer is a constant, and
 * unneeded code becomes no statements. */
enum {
    HEDDLE_REPEATS,         /* numbers of one seed may be drawn twice (crates/front/src/seeds.rs) */
    HEDDLE_UNLOCKED,        /* an _unlocked function of <stdio.h> is used */
    HEDDLE_SHARED_LOCALE,   /* setlocale may be called beside functions that the locale affects (crates/front/src/locale.rs) */
    HEDDLE_BLOCKED_WRITERS, /* it may matter whether readers wait for waiting writers (crates/passes/src/readers.rs) */
    HEDDLE_PREFERENCES,     /* a read-write lock is initialised to prefer writers */
    HEDDLE_NESTED_READERS,  /* a thread may acquire a read lock while it holds one */
    HEDDLE_MEASURED,        /* the program sleeps, or waits with a deadline, and reads a monotonic clock */
    HEDDLE_TICKS            /* the program reads std::chrono's monotonic clock */
};
int __heddle_needs(int what);

/* What a function keeps between calls that need not be thread-safe: an `int` that the program cannot name, which the
 * function reads or writes. Where functions that share it are called by two threads and nothing orders the calls, that
 * is a library race (ir::library has the names). `access` is literal. */
enum {
    HEDDLE_READS,
    HEDDLE_WRITES,
    HEDDLE_WRITES_SAFELY /* races with the two others only */
};
void __heddle_hidden(int *object, int access);

/* The rest. Strings are literal; a claim is in the words of ir::Claim. */
unsigned __heddle_choose(unsigned below);
void __heddle_assume(_Bool condition);
void __heddle_assert(_Bool condition, const char *claim);
/* The same where C or POSIX defines what happens if it is false: no reservation when another property is asked about. */
void __heddle_assert_defined(_Bool condition, const char *claim);
_Noreturn void __heddle_exit(void);
_Noreturn void __heddle_unmodelled(const char *what);
void __heddle_atomic_begin(void);
void __heddle_atomic_end(void);
/* The same for what changes the state of the library at once and need not order anything: no fence where there are store
 * buffers. Nothing but ghost memory is accessed inside. A read-modify-write inside waits for an empty buffer, as everywhere. */
void __heddle_relaxed_begin(void);
void __heddle_relaxed_end(void);
/* Orders accesses as a seq_cst fence does, and passes nothing on: it plays no part in happens-before. */
void __heddle_fence(void);
void *__heddle_alloc(size_t size, size_t align, int zeroed);
void __heddle_free(void *p);

unsigned char __VERIFIER_nondet_uchar(void);
unsigned __VERIFIER_nondet_uint(void);
unsigned long __VERIFIER_nondet_ulong(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);

/* Accesses to cells. Relaxed where the real function orders nothing by them. */
ALWAYS int cell_get(const int *cell) { return __atomic_load_n(cell, __ATOMIC_RELAXED); }
ALWAYS void cell_put(int *cell, int value) { __atomic_store_n(cell, value, __ATOMIC_RELAXED); }
/* A store that releases. It is a read-modify-write because ghost memory has no store buffer: what the thread wrote
 * before has to leave the buffer first. */
ALWAYS void cell_release(int *cell, int value) { __atomic_exchange_n(cell, value, __ATOMIC_RELEASE); }
ALWAYS int self_number(void) { return (int)__heddle_self(); }

/* The bit of the running thread in a 64-bit set of threads. */
ALWAYS thread_set self_bit(void) {
    thread_number self = __heddle_self();
    if (self > 64) __heddle_unmodelled("waiting with more than 64 threads alive");
    return 1ull << (self - 1);
}

/* Reads a `struct timespec` (seconds and nanoseconds, a `long` each): whether the nanoseconds are out of range. */
ALWAYS int is_bad_time(const void *time) {
    (void)((const volatile long *)time)[0];
    long nanoseconds = ((const volatile long *)time)[1];
    return nanoseconds < 0 || nanoseconds > 999999999;
}

/* The same for a time to sleep: Linux refuses negative seconds too. */
ALWAYS int is_bad_duration(const void *time) {
    long seconds = ((const volatile long *)time)[0];
    return is_bad_time(time) || seconds < 0;
}

/* The clocks that waits with a deadline may be measured by. */
enum { CLOCK_REALTIME, CLOCK_MONOTONIC };

ALWAYS int is_bad_clock(int clock) { return clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC; }

/* Error numbers of Linux. */
enum {
    EPERM = 1,
    ESRCH = 3,
    EINTR = 4,
    EBADF = 9,
    EAGAIN = 11,
    ENOMEM = 12,
    EBUSY = 16,
    EINVAL = 22,
    ENOTTY = 25,
    EDOM = 33,
    ERANGE = 34,
    EDEADLK = 35,
    EOVERFLOW = 75,
    ENOTSUP = 95,
    ETIMEDOUT = 110,
    LAST_ERROR = 133
};

/* What output functions do to the memory that they are given. */
ALWAYS void __heddle_read_bytes(const void *from, size_t count) {
    for (size_t i = 0; i < count; i++) (void)((const volatile char *)from)[i];
}

/* What is done to a stream looks at it; streams are locked meanwhile, so this is no plain access. */
ALWAYS void use_stream(const void *stream) { __atomic_load_n((const char *)stream, __ATOMIC_RELAXED); }

/* POSIX, getc_unlocked: a thread that does not own the stream must not call this while others use it. */
ALWAYS void use_unlocked(void *stream) { *(volatile char *)stream = 0; }

/* A function that always means a standard stream looks at it where another one may not lock it. */
ALWAYS void use_standard(void **stream) {
    if (__heddle_needs(HEDDLE_UNLOCKED)) use_stream(*stream);
}

/* What the locale affects may race with setlocale (C11 7.11.1.1p5). */
extern int __heddle_locale;

ALWAYS void use_locale(void) {
    if (__heddle_needs(HEDDLE_SHARED_LOCALE)) __heddle_hidden(&__heddle_locale, HEDDLE_READS);
}

/* The indicators of a stream (stdio.c): whether input fails because the end was seen; that it failed, if `has_error` surely by an error; that
 * the end came behind a line without newline; that scanf has looked at it; that output failed, or may have. */
int __heddle_has_ended(void *stream);
void __heddle_input_failed(void *stream, int has_error);
void __heddle_line_ended(void *stream);
void __heddle_scanned(void *stream, int has_failed);
void __heddle_output_failed(void *stream);
void __heddle_output_may_fail(void *stream);

/* Reads a text, up to `most` characters of it. */
void __heddle_read_text(const char *text, size_t most);

/* Reads a format and what its arguments lead to. */
void __heddle_read_format(const char *format, __builtin_va_list list);

/* Shared between the files of the models. */
extern _Thread_local int __heddle_cleanups;
int *__errno_location(void);

/* The system refused something, for a reason of its own. */
ALWAYS void some_error(void) { *__errno_location() = 1 + (int)__heddle_choose(LAST_ERROR); }

/* Sleeping, and waiting with a deadline, takes time by monotonic clocks (time.c). Moments count from where such a clock began. */
typedef unsigned long long moment __attribute__((aligned(8)));
moment __heddle_moment(const void *time);
void __heddle_pass(moment until);
int __heddle_is_past(moment time);
void __heddle_sleep(const void *duration);

/* A sleep of a duration. */
ALWAYS void sleep_like(const void *duration) {
    if (__heddle_needs(HEDDLE_MEASURED)) __heddle_sleep(duration);
}

/* When a wait with a deadline may time out: at any time by the clock of the day, which may jump. */
ALWAYS moment deadline_of(int clock, const void *deadline) {
    return __heddle_needs(HEDDLE_MEASURED) && clock == CLOCK_MONOTONIC ? __heddle_moment(deadline) : 0;
}

/* Whether it has certainly passed: by any clock, if that began later; otherwise by a clock that does not jump. */
ALWAYS int has_passed(int clock, const void *deadline, moment until) {
    long seconds = ((const long *)deadline)[0], nanoseconds = ((const long *)deadline)[1];
    if (seconds < 0 || (seconds == 0 && nanoseconds == 0)) return 1;
    return __heddle_needs(HEDDLE_MEASURED) && clock == CLOCK_MONOTONIC ? __heddle_is_past(until) : 0;
}

/* Such a wait has timed out: ETIMEDOUT. */
ALWAYS int timed_out(moment deadline) {
    if (__heddle_needs(HEDDLE_MEASURED)) __heddle_pass(deadline);
    return ETIMEDOUT;
}

void __heddle_at_exit(void);
void __heddle_at_thread_exit(void);
void __heddle_destroy_variables(void);
_Noreturn void __heddle_end_thread(void *result);

#endif
