/* Models <err.h> and <error.h>: messages have no effect, but what they are made of is read (stdio.c). */
#include "heddle.h"

_Noreturn void exit(int status);

typedef __builtin_va_list arguments;

/* A null pointer stands for no message. */
ALWAYS void read_message(const char *format, arguments list) {
    if (format) __heddle_read_format(format, list);
}

extern void *stderr;

#define READ_ARGUMENTS                                                                                                 \
    use_standard(&stderr);                                                                                             \
    arguments list;                                                                                                    \
    __builtin_va_start(list, format);                                                                                  \
    read_message(format, list);                                                                                        \
    __builtin_va_end(list)

_Noreturn void err(int status, const char *format, ...) {
    READ_ARGUMENTS;
    exit(status);
}

_Noreturn void errx(int status, const char *format, ...) {
    READ_ARGUMENTS;
    exit(status);
}

void warn(const char *format, ...) { READ_ARGUMENTS; }

void warnx(const char *format, ...) { READ_ARGUMENTS; }

void error(int status, int number, const char *format, ...) {
    (void)number;
    READ_ARGUMENTS;
    if (status != 0) exit(status);
}
