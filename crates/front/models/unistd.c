/* Models <unistd.h>, <signal.h>, <setjmp.h> and others, as far as they are harmless.
 *
 * The process is 1000 and belongs to user 0, its threads are 1000 and up. Signals do not come: installing a handler
 * is unmodelled. setjmp returns once, because longjmp is unmodelled. Files, memory maps and processes are
 * unmodelled.
 */
#include "heddle.h"

enum { PROCESS = 1000 };

#pragma clang diagnostic ignored "-Wunused-parameter"

int getpid(void) { return PROCESS; }

int getppid(void) { return PROCESS - 1; }

int gettid(void) { return PROCESS - 1 + self_number(); }

unsigned getuid(void) { return 0; }

unsigned geteuid(void) { return 0; }

int getpagesize(void) { return 4096; }

int sched_getcpu(void) { return (int)__heddle_choose(64); }

int sched_setaffinity(int process, size_t size, const void *set) { return 0; }

int get_nprocs(void) { return 1 + (int)__heddle_choose(64); }

int get_nprocs_conf(void) { return 1 + (int)__heddle_choose(64); }

int isatty(int file) { return (int)__heddle_choose(2); }

long sysconf(int name) {
    enum { PAGE_SIZE = 30, PROCESSORS = 83, PROCESSORS_ONLINE = 84 };
    if (name == PAGE_SIZE) return 4096;
    if (name == PROCESSORS || name == PROCESSORS_ONLINE) return 1 + (long)__heddle_choose(64);
    __heddle_unmodelled("sysconf of another name");
}

/* Anything up to all of it may be sent. */
ssize_t write(int file, const void *from, size_t count) {
    __heddle_read_bytes(from, count);
    ssize_t written = (ssize_t)__VERIFIER_nondet_ulong();
    __heddle_assume(written >= -1 && (written < 0 || (size_t)written <= count));
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

/* 0 is the default action, 1 to ignore the signal. */
void *signal(int number, void *action) {
    if (action != NULL && action != (void *)1) __heddle_unmodelled("signal handler");
    return NULL;
}

int sigaction(int number, const void *action, void *old) { __heddle_unmodelled("sigaction"); }

int raise(int number) { __heddle_unmodelled("raise"); }

int kill(int process, int number) { __heddle_unmodelled("kill"); }

int pause(void) { __heddle_unmodelled("pause"); }

/* Masks have no effect where no signal comes. */
int pthread_sigmask(int how, const void *set, void *old) {
    if (old) __heddle_unmodelled("pthread_sigmask that asks for the old mask");
    return 0;
}

int sigprocmask(int how, const void *set, void *old) {
    if (old) __heddle_unmodelled("sigprocmask that asks for the old mask");
    return 0;
}

enum { SIGNAL_SET_BYTES = 128, LAST_SIGNAL = 64 };

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

int setjmp(void *state) { return 0; }

int _setjmp(void *state) { return 0; }

int __sigsetjmp(void *state, int save) { return 0; }

int __sigsetjmp_cancel(void *state, int save) { return 0; }

int sigsetjmp(void *state, int save) { return 0; }

_Noreturn void longjmp(void *state, int value) { __heddle_unmodelled("longjmp"); }

_Noreturn void _longjmp(void *state, int value) { __heddle_unmodelled("longjmp"); }

_Noreturn void siglongjmp(void *state, int value) { __heddle_unmodelled("longjmp"); }

static char locale_name[] = "C";

/* C11 7.11.1.1: setlocale may race with itself. (That it may race with functions which the locale affects is not
 * modelled: here there is one locale.) */
static int locale_state;

char *setlocale(int category, const char *name) {
    __heddle_hidden(&locale_state, HEDDLE_WRITES);
    return locale_name;
}

void *localeconv(void) {
    __heddle_hidden(&locale_state, HEDDLE_WRITES);
    __heddle_unmodelled("localeconv");
}
