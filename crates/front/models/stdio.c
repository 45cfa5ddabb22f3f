/* Models output of <stdio.h>, and files as far as they can be opened and closed.
 *
 * Output has no effect on the program's state. What is written (also by %s in a literal format) and names of files are read; %n is unmodelled.
 * What a va_list leads to is not read; pointers and a format that is not literal are unmodelled. Results are arbitrary: -1 or a count.
 * Formatted text in memory is unmodelled unless the format has no conversions. A file that is opened is a heap block of one byte; that a stream is used after fclose is not noticed except by fclose. Other functions on files
 * are unmodelled. The variants __unused are for calls whose result nobody looks at.
 */
#include "heddle.h"

static char standard_streams[3];

void *stdin = &standard_streams[0];
void *stdout = &standard_streams[1];
void *stderr = &standard_streams[2];

typedef __builtin_va_list arguments;

/* -1, or a number of characters. */
ALWAYS int some_result(void) { return (int)__heddle_choose(0x80000001u) - 1; }

/* An output function: the result is arbitrary, nothing else happens. */
#define OUTPUT(name, ...)                                                                                              \
    int name(__VA_ARGS__) { return some_result(); }                                                                    \
    int name##__unused(__VA_ARGS__) { return 0; }

#pragma clang diagnostic ignored "-Wunused-parameter"

OUTPUT(printf, const char *format, ...)
OUTPUT(vprintf, const char *format, arguments list)
OUTPUT(fprintf, void *stream, const char *format, ...)
OUTPUT(vfprintf, void *stream, const char *format, arguments list)
OUTPUT(dprintf, int file, const char *format, ...)
OUTPUT(puts, const char *text)
OUTPUT(fputs, const char *text, void *stream)
OUTPUT(fputs_unlocked, const char *text, void *stream)
OUTPUT(fflush, void *stream)
OUTPUT(fflush_unlocked, void *stream)
OUTPUT(__printf_chk, int flag, const char *format, ...)
OUTPUT(__fprintf_chk, void *stream, int flag, const char *format, ...)
OUTPUT(__vprintf_chk, int flag, const char *format, arguments list)
OUTPUT(__vfprintf_chk, void *stream, int flag, const char *format, arguments list)
OUTPUT(setvbuf, void *stream, char *buffer, int mode, size_t size)

/* A function that writes one character: that character, or -1. */
#define OUTPUT_CHARACTER(name, ...)                                                                                    \
    int name(int c, ##__VA_ARGS__) { return __heddle_choose(2) ? (unsigned char)c : -1; }                              \
    int name##__unused(int c, ##__VA_ARGS__) { return 0; }

OUTPUT_CHARACTER(putchar)
OUTPUT_CHARACTER(putchar_unlocked)
OUTPUT_CHARACTER(putc, void *stream)
OUTPUT_CHARACTER(fputc, void *stream)
OUTPUT_CHARACTER(_IO_putc, void *stream)
OUTPUT_CHARACTER(putc_unlocked, void *stream)

void perror(const char *text) {}

/* Reads a text, up to so many characters of it: what output functions do with their arguments (crates/front/src/output.rs). */
void __heddle_read_text(const char *text, size_t most) {
    for (size_t i = 0; i < most; i++) {
        if (text[i] == 0) return;
    }
}

void setbuf(void *stream, char *buffer) {}

void flockfile(void *stream) {}

void funlockfile(void *stream) {}

size_t fwrite(const void *from, size_t each, size_t count, void *stream) {
    __heddle_read_bytes(from, each * count);
    size_t written = __VERIFIER_nondet_ulong();
    __heddle_assume(written <= count);
    return written;
}

size_t fwrite__unused(const void *from, size_t each, size_t count, void *stream) {
    __heddle_read_bytes(from, each * count);
    return 0;
}

/* Copies a format that has no conversions, as much as fits; its whole length is the result. What a conversion writes
 * is not modelled: arbitrary text would let assertions about it fail that cannot. */
static int copy_format(char *to, size_t size, const char *format) {
    size_t length = 0;
    for (; format[length] != 0; length++) {
        if (format[length] == '%') __heddle_unmodelled("formatted text in memory (sprintf with a conversion)");
        if (length + 1 < size) to[length] = format[length];
    }
    if (size > 0) to[length < size ? length : size - 1] = 0;
    return (int)length;
}

#define UNBOUNDED ((size_t)-1)

int snprintf(char *to, size_t size, const char *format, ...) { return copy_format(to, size, format); }

int vsnprintf(char *to, size_t size, const char *format, arguments list) { return copy_format(to, size, format); }

int __snprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, ...) {
    return copy_format(to, size, format);
}

int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, arguments list) {
    return copy_format(to, size, format);
}

int sprintf(char *to, const char *format, ...) { return copy_format(to, UNBOUNDED, format); }

int vsprintf(char *to, const char *format, arguments list) { return copy_format(to, UNBOUNDED, format); }

int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...) {
    return copy_format(to, UNBOUNDED, format);
}

void *fopen(const char *path, const char *mode) { return __heddle_choose(2) ? __heddle_alloc(1, 1, 1) : NULL; }

void *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

void *fdopen(int file, const char *mode) { return fopen(NULL, mode); }

void *tmpfile(void) { return fopen(NULL, NULL); }

int fclose(void *stream) {
    if (stream != stdin && stream != stdout && stream != stderr) __heddle_free(stream);
    return -(int)__heddle_choose(2);
}

int fclose__unused(void *stream) {
    if (stream != stdin && stream != stdout && stream != stderr) __heddle_free(stream);
    return 0;
}

int fileno(void *stream) {
    if (stream == stdin) return 0;
    if (stream == stdout) return 1;
    return stream == stderr ? 2 : (int)__heddle_choose(1024);
}

int ferror(void *stream) { return (int)__heddle_choose(2); }

int feof(void *stream) { return (int)__heddle_choose(2); }

void clearerr(void *stream) {}

int remove(const char *path) { return -(int)__heddle_choose(2); }
