/* Models output of <stdio.h>, and files as far as they can be opened and closed.
 *
 * Output has no effect on the program's state. What is written, what the conversions of a format lead to, and names of files are
 * read, also by functions that are given a va_list or called through a pointer; %n and numbered arguments are unmodelled.
 * Results are arbitrary: a count, or -1 and an error number. Formatted text in memory is unmodelled unless the
 * format has no conversions. A file that is opened is a heap block of one byte, which everything that is done to the stream
 * looks at, so that use after fclose is an access to freed memory; streams lock themselves, so these are no races. The
 * functions _unlocked write it. Functions that always mean `stdin` or `stdout` look at it in programs that use such functions. Other functions on files are
 * unmodelled. The variants __unused are for calls whose result nobody looks at, and __read for calls of which
 * crates/front/src/output.rs has seen what they read.
 */
#include "heddle.h"

static char standard_streams[3];

void *stdin = &standard_streams[0];
void *stdout = &standard_streams[1];
void *stderr = &standard_streams[2];

typedef __builtin_va_list arguments;

#pragma clang diagnostic ignored "-Wunused-parameter"

/* A text is read as by a function that looks for its end, or for its first `most` characters. */
void __heddle_read_text(const char *text, size_t most) {
    for (size_t i = 0; i < most; i++) {
        if (((const volatile char *)text)[i] == 0) return;
    }
}

static void read_wide_text(const int *text, size_t most) {
    for (size_t i = 0; i < most; i++) {
        if (((const volatile int *)text)[i] == 0) return;
    }
}

#define UNBOUNDED ((size_t)-1)

ALWAYS void read_text(const char *text) { __heddle_read_text(text, UNBOUNDED); }

ALWAYS int is_digit(char c) { return c >= '0' && c <= '9'; }

/* The lists are those of the caller, in whose name arguments are taken. */
#define TAKE_STAR(at, list, value)                                                                                     \
    if (*(at) == '*') {                                                                                                \
        (at)++;                                                                                                        \
        (value) = __builtin_va_arg(list, int);                                                                         \
    } else {                                                                                                           \
        for (; is_digit(*(at)); (at)++) (value) = 10 * (value) + (*(at) - '0');                                        \
    }

/* 'h', 'H' for hh, 'l', 'q' for ll, 'j', 'z', 't', 'L', or 0. */
static char take_length(const char **at) {
    char first = **at;
    switch (first) {
    case 'h':
    case 'l':
        (*at)++;
        if (**at != first) return first;
        (*at)++;
        return first == 'h' ? 'H' : 'q';
    case 'q':
    case 'j':
    case 'z':
    case 't':
    case 'L': (*at)++; return first;
    default: return 0;
    }
}

/* Reads a format and what its arguments lead to. */
void __heddle_read_format(const char *format, arguments given) {
    arguments list;
    __builtin_va_copy(list, given);
    for (const char *at = format; *at != 0; at++) {
        if (*at != '%') continue;
        at++;
        int width = 0, precision = 0, has_precision = 0;
        while (*at == '-' || *at == '+' || *at == ' ' || *at == '#' || *at == '0' || *at == '\'' || *at == 'I') at++;
        TAKE_STAR(at, list, width)
        if (*at == '$') __heddle_unmodelled("numbered arguments in a format");
        if (*at == '.') {
            at++;
            has_precision = 1;
            TAKE_STAR(at, list, precision)
        }
        char length = take_length(&at);
        /* A negative precision is as if there were none. */
        size_t most = has_precision && precision >= 0 ? (size_t)precision : UNBOUNDED;
        switch (*at) {
        case '%':
        case 'm': break;
        case 'd':
        case 'i':
        case 'o':
        case 'u':
        case 'x':
        case 'X':
        case 'c':
            if (length == 'q' || length == 'j' || length == 'L') {
                (void)__builtin_va_arg(list, long long);
            } else if (length == 'l' || length == 'z' || length == 't') {
                (void)__builtin_va_arg(list, long);
            } else {
                (void)__builtin_va_arg(list, int);
            }
            break;
        case 'C': (void)__builtin_va_arg(list, int); break;
        case 'a':
        case 'A':
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
            if (length == 'L') {
                (void)__builtin_va_arg(list, long double);
            } else {
                (void)__builtin_va_arg(list, double);
            }
            break;
        case 'p': (void)__builtin_va_arg(list, void *); break;
        case 's':
        case 'S': {
            const void *text = __builtin_va_arg(list, const void *);
            if (*at == 'S' || length == 'l') {
                read_wide_text(text, most);
            } else {
                __heddle_read_text(text, most);
            }
            break;
        }
        case 'n': __heddle_unmodelled("%n in a format");
        default: __heddle_unmodelled("an unknown conversion in a format");
        }
    }
    __builtin_va_end(list);
}

/* A number of characters, or -1. */
ALWAYS int some_result(void) {
    int result = (int)__heddle_choose(0x80000001u) - 1;
    if (result < 0) some_error();
    return result;
}

/* An output function: what it reads, then an arbitrary result. */
#define OUTPUT(name, effect, seen, ...)                                                                                \
    int name(__VA_ARGS__) {                                                                                            \
        effect;                                                                                                        \
        return some_result();                                                                                          \
    }                                                                                                                  \
    int name##__unused(__VA_ARGS__) {                                                                                  \
        effect;                                                                                                        \
        return 0;                                                                                                      \
    }                                                                                                                  \
    int name##__read(__VA_ARGS__) {                                                                                    \
        seen;                                                                                                          \
        return some_result();                                                                                          \
    }                                                                                                                  \
    int name##__read_unused(__VA_ARGS__) {                                                                             \
        seen;                                                                                                          \
        return 0;                                                                                                      \
    }

#define READ_ARGUMENTS                                                                                                 \
    arguments list;                                                                                                    \
    __builtin_va_start(list, format);                                                                                  \
    __heddle_read_format(format, list);                                                                                \
    __builtin_va_end(list)

#define TO_STANDARD                                                                                                    \
    use_standard(&stdout);                                                                                             \
    use_locale()
#define TO_STREAM                                                                                                      \
    use_stream(stream);                                                                                                \
    use_locale()

OUTPUT(printf, TO_STANDARD; READ_ARGUMENTS, TO_STANDARD, const char *format, ...)
OUTPUT(vprintf, TO_STANDARD; __heddle_read_format(format, list), TO_STANDARD, const char *format, arguments list)
OUTPUT(fprintf, TO_STREAM; READ_ARGUMENTS, TO_STREAM, void *stream, const char *format, ...)
OUTPUT(vfprintf, TO_STREAM; __heddle_read_format(format, list), TO_STREAM, void *stream, const char *format, arguments list)
OUTPUT(dprintf, use_locale(); READ_ARGUMENTS, use_locale(), int file, const char *format, ...)
OUTPUT(vdprintf, use_locale(); __heddle_read_format(format, list), use_locale(), int file, const char *format,
       arguments list)
OUTPUT(puts, use_standard(&stdout); read_text(text), use_standard(&stdout), const char *text)
OUTPUT(fputs, use_stream(stream); read_text(text), use_stream(stream), const char *text, void *stream)
OUTPUT(fputs_unlocked, use_unlocked(stream); read_text(text), use_unlocked(stream), const char *text, void *stream)
OUTPUT(__printf_chk, TO_STANDARD; READ_ARGUMENTS, TO_STANDARD, int flag, const char *format, ...)
OUTPUT(__fprintf_chk, TO_STREAM; READ_ARGUMENTS, TO_STREAM, void *stream, int flag, const char *format, ...)
OUTPUT(__vprintf_chk, TO_STANDARD; __heddle_read_format(format, list), TO_STANDARD, int flag, const char *format,
       arguments list)
OUTPUT(__vfprintf_chk, TO_STREAM; __heddle_read_format(format, list), TO_STREAM, void *stream, int flag,
       const char *format, arguments list)

/* 0, or -1 and an error. */
ALWAYS int some_success(void) {
    if (__heddle_choose(2)) return 0;
    some_error();
    return -1;
}

int remove(const char *path) {
    read_text(path);
    return some_success();
}

int remove__read(const char *path) { return some_success(); }

void perror(const char *text) {
    use_standard(&stderr);
    use_locale();
    if (text) read_text(text);
}

void perror__read(const char *text) {
    use_standard(&stderr);
    use_locale();
}

/* A null pointer: all streams. */
int fflush(void *stream) {
    if (stream) use_stream(stream);
    return some_success();
}

int fflush__unused(void *stream) {
    if (stream) use_stream(stream);
    return 0;
}

int fflush_unlocked(void *stream) {
    if (stream) use_unlocked(stream);
    return some_success();
}

int fflush_unlocked__unused(void *stream) {
    if (stream) use_unlocked(stream);
    return 0;
}

/* C11 7.21.5.6: it fails too where the request cannot be honoured. */
int setvbuf(void *stream, char *buffer, int mode, size_t size) {
    use_stream(stream);
    if (buffer) __heddle_unmodelled("stream with a buffer of the program");
    return mode < 0 || mode > 2 || __heddle_choose(2) ? -1 : 0;
}

int setvbuf__unused(void *stream, char *buffer, int mode, size_t size) {
    use_stream(stream);
    if (buffer) __heddle_unmodelled("stream with a buffer of the program");
    return 0;
}

void setbuf(void *stream, char *buffer) {
    use_stream(stream);
    if (buffer) __heddle_unmodelled("stream with a buffer of the program");
}

/* A function that writes one character: that character, or -1. */
#define OUTPUT_CHARACTER(name, effect, ...)                                                                            \
    int name(int c, ##__VA_ARGS__) {                                                                                   \
        effect;                                                                                                        \
        if (__heddle_choose(2)) return (unsigned char)c;                                                               \
        some_error();                                                                                                  \
        return -1;                                                                                                     \
    }                                                                                                                  \
    int name##__unused(int c, ##__VA_ARGS__) {                                                                         \
        effect;                                                                                                        \
        return 0;                                                                                                      \
    }

OUTPUT_CHARACTER(putchar, use_standard(&stdout))
OUTPUT_CHARACTER(putchar_unlocked, use_unlocked(stdout))
OUTPUT_CHARACTER(putc, use_stream(stream), void *stream)
OUTPUT_CHARACTER(fputc, use_stream(stream), void *stream)
OUTPUT_CHARACTER(_IO_putc, use_stream(stream), void *stream)
OUTPUT_CHARACTER(putc_unlocked, use_unlocked(stream), void *stream)

void flockfile(void *stream) { __heddle_unmodelled("flockfile"); }

void funlockfile(void *stream) { __heddle_unmodelled("funlockfile"); }

ALWAYS void read_elements(const void *from, size_t each, size_t count, const void *stream) {
    size_t bytes;
    if (__builtin_mul_overflow(each, count, &bytes)) __heddle_unmodelled("fwrite of more than memory can hold");
    use_stream(stream);
    __heddle_read_bytes(from, bytes);
}

size_t fwrite(const void *from, size_t each, size_t count, void *stream) {
    read_elements(from, each, count, stream);
    if (each == 0) return 0;
    size_t written = __VERIFIER_nondet_ulong();
    __heddle_assume(written <= count);
    if (written < count) some_error();
    return written;
}

size_t fwrite__unused(const void *from, size_t each, size_t count, void *stream) {
    read_elements(from, each, count, stream);
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

int snprintf(char *to, size_t size, const char *format, ...) {
    use_locale();
    return copy_format(to, size, format);
}

int vsnprintf(char *to, size_t size, const char *format, arguments list) {
    use_locale();
    return copy_format(to, size, format);
}

int __snprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, ...) {
    use_locale();
    return copy_format(to, size, format);
}

int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, arguments list) {
    use_locale();
    return copy_format(to, size, format);
}

int sprintf(char *to, const char *format, ...) {
    use_locale();
    return copy_format(to, UNBOUNDED, format);
}

int vsprintf(char *to, const char *format, arguments list) {
    use_locale();
    return copy_format(to, UNBOUNDED, format);
}

int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...) {
    use_locale();
    return copy_format(to, UNBOUNDED, format);
}

ALWAYS void *some_stream(void) {
    if (__heddle_choose(2)) return __heddle_alloc(1, 1, 1);
    some_error();
    return NULL;
}

void *fopen(const char *path, const char *mode) {
    read_text(path);
    read_text(mode);
    return some_stream();
}

void *fopen__read(const char *path, const char *mode) { return some_stream(); }

void *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

void *fopen64__read(const char *path, const char *mode) { return some_stream(); }

void *fdopen(int file, const char *mode) {
    read_text(mode);
    return some_stream();
}

void *fdopen__read(int file, const char *mode) { return some_stream(); }

void *tmpfile(void) { return some_stream(); }

ALWAYS void close_stream(void *stream) {
    use_stream(stream);
    if (stream == stdin || stream == stdout || stream == stderr) __heddle_unmodelled("fclose of a standard stream");
    __heddle_free(stream);
}

int fclose(void *stream) {
    close_stream(stream);
    return some_success();
}

int fclose__unused(void *stream) {
    close_stream(stream);
    return 0;
}

int fileno(void *stream) {
    use_stream(stream);
    if (stream == stdin) return 0;
    if (stream == stdout) return 1;
    return stream == stderr ? 2 : 3 + (int)__heddle_choose(0x7ffffffcu);
}

int ferror(void *stream) {
    use_stream(stream);
    return (int)__heddle_choose(2);
}

int feof(void *stream) {
    use_stream(stream);
    return (int)__heddle_choose(2);
}

void clearerr(void *stream) { use_stream(stream); }
