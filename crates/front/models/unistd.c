/* Models <unistd.h>, <signal.h>, <setjmp.h> and others, as far as they are harmless.
 *
 * The numbers of the process and of its users are unknown and do not change. Signals do not come: installing a handler
 * is unmodelled. setjmp returns once, because longjmp is unmodelled. Files, memory maps and processes are
 * unmodelled.
 */
#include "heddle.h"

#pragma clang diagnostic ignored "-Wunused-parameter"

/* A number that the system gives to the process, in the ghost record of a variable. */
struct number {
    int is_known;
    int number;
};

/* What a record holds; where nothing is known yet, any number below a bound becomes known, plus the least. */
static int number_in(struct number *record, unsigned least, unsigned below) {
    __heddle_relaxed_begin();
    if (!cell_get(&record->is_known)) {
        cell_put(&record->is_known, 1);
        cell_put(&record->number, (int)(least + __heddle_choose(below)));
    }
    int number = cell_get(&record->number);
    __heddle_relaxed_end();
    return number;
}

static int process, user, effective_user, group, effective_group;

/* The process whose number is 1 starts all others. */
enum { PROCESSES = 0x7fffffff };

int getpid(void) { return number_in(__heddle_ghost(&process), 1, PROCESSES); }

/* The parent may end; 0 is one that cannot be seen from here. */
int getppid(void) { return (int)__heddle_choose(0x80000000u); }

enum { MOST_THREADS = 64 };

/* The numbers of threads that have asked for theirs: all are different. */
static int threads[MOST_THREADS + 1];
static _Thread_local int own_thread;

ALWAYS struct number *thread_at(int index) { return __heddle_ghost(&threads[index]); }

/* The first thread's is that of the process. */
int gettid(void) {
    if (__heddle_self() == 1) return getpid();
    if (own_thread != 0) return own_thread;
    int first = getpid(), own = 1 + (int)__heddle_choose(PROCESSES);
    __heddle_assume(own != first);
    __heddle_relaxed_begin();
    int count = cell_get(&thread_at(0)->number);
    if (count == MOST_THREADS) __heddle_unmodelled("gettid in more than 64 threads");
    for (int i = 1; i <= count; i++) __heddle_assume(own != cell_get(&thread_at(i)->number));
    cell_put(&thread_at(count + 1)->number, own);
    cell_put(&thread_at(0)->number, count + 1);
    __heddle_relaxed_end();
    own_thread = own;
    return own;
}

/* -1 is no user. */
enum { USERS = 0xffffffffu };

unsigned getuid(void) { return (unsigned)number_in(__heddle_ghost(&user), 0, USERS); }

unsigned geteuid(void) { return (unsigned)number_in(__heddle_ghost(&effective_user), 0, USERS); }

unsigned getgid(void) { return (unsigned)number_in(__heddle_ghost(&group), 0, USERS); }

unsigned getegid(void) { return (unsigned)number_in(__heddle_ghost(&effective_group), 0, USERS); }

/* Linux on x86 has no more processors. */
enum { MOST_PROCESSORS = 8192 };

int getpagesize(void) { return 4096; }

int sched_getcpu(void) { return (int)__heddle_choose(MOST_PROCESSORS); }

int sched_setaffinity(int process, size_t size, const void *set) {
    __heddle_read_bytes(set, size);
    if (__heddle_choose(2)) return 0;
    some_error();
    return -1;
}

int get_nprocs(void) { return 1 + (int)__heddle_choose(MOST_PROCESSORS); }

int get_nprocs_conf(void) { return 1 + (int)__heddle_choose(MOST_PROCESSORS); }

int isatty(int file) {
    if (__heddle_choose(2)) return 1;
    *__errno_location() = __heddle_choose(2) ? ENOTTY : EBADF;
    return 0;
}

long sysconf(int name) {
    enum { PAGE_SIZE = 30, PROCESSORS = 83, PROCESSORS_ONLINE = 84 };
    if (name == PAGE_SIZE) return 4096;
    if (name == PROCESSORS || name == PROCESSORS_ONLINE) return 1 + (long)__heddle_choose(MOST_PROCESSORS);
    __heddle_unmodelled("sysconf of another name");
}

/* Anything up to all of it may be sent. */
ssize_t write(int file, const void *from, size_t count) {
    __heddle_read_bytes(from, count);
    ssize_t written = (ssize_t)__VERIFIER_nondet_ulong();
    __heddle_assume(written >= -1 && (written < 0 || (size_t)written <= count));
    if (written < 0) some_error();
    return written;
}

ssize_t write__unused(int file, const void *from, size_t count) {
    __heddle_read_bytes(from, count);
    return 0;
}

ssize_t read(int file, void *to, size_t count) { __heddle_unmodelled("read"); }

int open(const char *path, int flags, ...) { __heddle_unmodelled("open"); }

int close(int file) { __heddle_unmodelled("close"); }

int pipe(int *ends) { __heddle_unmodelled("pipe"); }

int fork(void) { __heddle_unmodelled("fork"); }

int vfork(void) { __heddle_unmodelled("vfork"); }

long syscall(long number, ...) { __heddle_unmodelled("syscall"); }

void *mmap(void *at, size_t length, int protection, int flags, int file, long offset) { __heddle_unmodelled("mmap"); }

enum { LAST_SIGNAL = 64, SIGKILL = 9, SIGSTOP = 19 };

/* What is done about each signal, plus 1; 0: it is as the process found it, by default or ignored. */
static int actions[LAST_SIGNAL + 1];

/* 0 is the default action, 1 to ignore the signal. */
void *signal(int number, void *action) {
    if (action != NULL && action != (void *)1) __heddle_unmodelled("signal handler");
    if (number < 1 || number > LAST_SIGNAL || number == SIGKILL || number == SIGSTOP) {
        *__errno_location() = EINVAL;
        return (void *)-1;
    }
    int *cell = __heddle_ghost(&actions[number]);
    __heddle_relaxed_begin();
    int old = cell_get(cell);
    cell_put(cell, action ? 2 : 1);
    __heddle_relaxed_end();
    if (old == 0) old = 1 + (int)__heddle_choose(2);
    return old == 2 ? (void *)1 : NULL;
}

int sigaction(int number, const void *action, void *old) { __heddle_unmodelled("sigaction"); }

int raise(int number) { __heddle_unmodelled("raise"); }

int kill(int process, int number) { __heddle_unmodelled("kill"); }

int pause(void) { __heddle_unmodelled("pause"); }

/* Masks have no effect where no signal comes. */
int pthread_sigmask(int how, const void *set, void *old) {
    if (old) __heddle_unmodelled("pthread_sigmask that asks for the old mask");
    if (set) __heddle_read_bytes(set, LAST_SIGNAL / 8);
    return set && (how < 0 || how > 2) ? EINVAL : 0;
}

int sigprocmask(int how, const void *set, void *old) {
    int error = pthread_sigmask(how, set, old);
    if (error) *__errno_location() = error;
    return error ? -1 : 0;
}

enum { SIGNAL_SET_BYTES = 128 };

int sigemptyset(void *set) {
    __builtin_memset(set, 0, SIGNAL_SET_BYTES);
    return 0;
}

int sigfillset(void *set) {
    __builtin_memset(set, 0xff, SIGNAL_SET_BYTES);
    return 0;
}

ALWAYS int change_set(void *set, int number, int is_in) {
    if (number < 1 || number > LAST_SIGNAL) {
        *__errno_location() = EINVAL;
        return -1;
    }
    unsigned char *byte = (unsigned char *)set + (number - 1) / 8;
    unsigned char bit = (unsigned char)(1 << (number - 1) % 8);
    *byte = is_in ? *byte | bit : *byte & (unsigned char)~bit;
    return 0;
}

int sigaddset(void *set, int number) { return change_set(set, number, 1); }

int sigdelset(void *set, int number) { return change_set(set, number, 0); }

/* What is kept is opaque; that it is written matters. */
#define SETJMP(name, ...)                                                                                              \
    int name(void *state, ##__VA_ARGS__) {                                                                             \
        *(volatile char *)state = 0;                                                                                   \
        return 0;                                                                                                      \
    }

SETJMP(setjmp)
SETJMP(_setjmp)
SETJMP(__sigsetjmp, int save)
SETJMP(__sigsetjmp_cancel, int save)
SETJMP(sigsetjmp, int save)

_Noreturn void longjmp(void *state, int value) { __heddle_unmodelled("longjmp"); }

_Noreturn void _longjmp(void *state, int value) { __heddle_unmodelled("longjmp"); }

_Noreturn void siglongjmp(void *state, int value) { __heddle_unmodelled("longjmp"); }
