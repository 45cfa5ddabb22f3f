/* Models output of <stdio.h>, and files as far as they can be opened and closed.
 *
 * Output has no effect on the program's state. What is written, what the conversions of a format lead to, and names of files are
 * read, also by functions that are given a va_list or called through a pointer; %n and numbered arguments are unmodelled.
 * Results are arbitrary: a count, or -1 and an error number. Formatted text in memory is unmodelled unless the
 * format has no conversions. A file that is opened is a heap block of one byte, which everything that is done to the stream
 * looks at, so that use after fclose is an access to freed memory; streams lock themselves, so these are no races. The
 * functions _unlocked write it. Functions that always mean `stdin` or `stdout` look at it in programs that use such functions. Other functions on files are
 * unmodelled. The variants __unused are for calls whose result is not used, and __read for calls whose
 * reads crates/front/src/output.rs has already lowered.
 *
 * The indicators of a stream, and its number, are kept in programs that ask for them (__indicated). ferror of stderr is always arbitrary,
 * unless output has failed: many functions write there.
 */
#include "heddle.h"

static char standard_streams[3];

void *stdin = &standard_streams[0];
void *stdout = &standard_streams[1];
void *stderr = &standard_streams[2];

typedef __builtin_va_list arguments;

#pragma clang diagnostic ignored "-Wunused-parameter"

/* The ghost record of a stream: its indicators, and of a file that was opened where its number is, counted from 1, in a table of those that were
 * asked for. Only the ghost of the table is used: it is four times as large. */
enum { INPUT_ENDED = 1, HAS_FAILED = 2, MAY_HAVE_FAILED = 4, MOST_NUMBERS = 8 };

static char number_table[MOST_NUMBERS];

ALWAYS int *indicators_of(void *stream) { return __heddle_ghost(stream); }

ALWAYS int *number_of(void *stream) { return indicators_of(stream) + 1; }

ALWAYS void indicate(void *stream, int indicator) { __atomic_fetch_or(indicators_of(stream), indicator, __ATOMIC_RELAXED); }

int __heddle_has_ended(void *stream) { return 0; }

int __heddle_has_ended__indicated(void *stream) { return cell_get(indicators_of(stream)) & INPUT_ENDED; }

void __heddle_input_failed(void *stream, int has_error) {}

void __heddle_input_failed__indicated(void *stream, int has_error) {
    indicate(stream, has_error || __heddle_choose(2) ? HAS_FAILED : INPUT_ENDED);
}

void __heddle_line_ended(void *stream) {}

void __heddle_line_ended__indicated(void *stream) { indicate(stream, INPUT_ENDED); }

void __heddle_scanned(void *stream, int has_failed) {}

/* It may have looked one character further than what it took. */
void __heddle_scanned__indicated(void *stream, int has_failed) {
    if (has_failed || __heddle_choose(2)) __heddle_input_failed__indicated(stream, 0);
}

void __heddle_output_failed(void *stream) {}

void __heddle_output_failed__indicated(void *stream) { indicate(stream, HAS_FAILED); }

void __heddle_output_may_fail(void *stream) {}

void __heddle_output_may_fail__indicated(void *stream) { indicate(stream, MAY_HAVE_FAILED); }

/* Output to stdout. */
void __heddle_printed(void) {}

void __heddle_printed__indicated(void) { indicate(stdout, MAY_HAVE_FAILED); }

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
#define OUTPUT_LIST(name, effect, ...)                                                                                 \
    int name(__VA_ARGS__) {                                                                                            \
        effect;                                                                                                        \
        return some_result();                                                                                          \
    }                                                                                                                  \
    int name##__unused(__VA_ARGS__) {                                                                                  \
        effect;                                                                                                        \
        return 0;                                                                                                      \
    }

/* One whose calls may have read that themselves. */
#define OUTPUT(name, effect, seen, ...)                                                                                \
    OUTPUT_LIST(name, effect, __VA_ARGS__)                                                                             \
    int name##__read(__VA_ARGS__) {                                                                                    \
        seen;                                                                                                          \
        return some_result();                                                                                          \
    }                                                                                                                  \
    int name##__read_unused(__VA_ARGS__) {                                                                             \
        seen;                                                                                                          \
        return 0;                                                                                                      \
    }

/* What a function that writes to a stream does to it, whatever its result. */
#define TO(stream)                                                                                                     \
    use_stream(stream);                                                                                                \
    __heddle_output_may_fail(stream)

#define READ_ARGUMENTS                                                                                                 \
    arguments list;                                                                                                    \
    __builtin_va_start(list, format);                                                                                  \
    __heddle_read_format(format, list);                                                                                \
    __builtin_va_end(list)

#define PRINTS                                                                                                         \
    use_standard(&stdout);                                                                                             \
    use_locale();                                                                                                      \
    __heddle_printed()
#define PRINTS_TO(stream)                                                                                              \
    TO(stream);                                                                                                        \
    use_locale()

OUTPUT(printf, PRINTS; READ_ARGUMENTS, PRINTS, const char *format, ...)
OUTPUT_LIST(vprintf, PRINTS; __heddle_read_format(format, list), const char *format, arguments list)
OUTPUT(fprintf, PRINTS_TO(stream); READ_ARGUMENTS, PRINTS_TO(stream), void *stream, const char *format, ...)
OUTPUT_LIST(vfprintf, PRINTS_TO(stream); __heddle_read_format(format, list), void *stream, const char *format, arguments list)
OUTPUT(dprintf, use_locale(); READ_ARGUMENTS, use_locale(), int file, const char *format, ...)
OUTPUT_LIST(vdprintf, use_locale(); __heddle_read_format(format, list), int file, const char *format, arguments list)
OUTPUT(puts, use_standard(&stdout); __heddle_printed(); read_text(text), use_standard(&stdout); __heddle_printed(), const char *text)
OUTPUT(fputs, TO(stream); read_text(text), TO(stream), const char *text, void *stream)
OUTPUT(fputs_unlocked, use_unlocked(stream); __heddle_output_may_fail(stream); read_text(text),
       use_unlocked(stream); __heddle_output_may_fail(stream), const char *text, void *stream)
OUTPUT(__printf_chk, PRINTS; READ_ARGUMENTS, PRINTS, int flag, const char *format, ...)
OUTPUT(__fprintf_chk, PRINTS_TO(stream); READ_ARGUMENTS, PRINTS_TO(stream), void *stream, int flag, const char *format, ...)
OUTPUT_LIST(__vprintf_chk, PRINTS; __heddle_read_format(format, list), int flag, const char *format, arguments list)
OUTPUT_LIST(__vfprintf_chk, PRINTS_TO(stream); __heddle_read_format(format, list), void *stream, int flag, const char *format,
            arguments list)

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

ALWAYS int flush(void *stream) {
    int result = some_success();
    if (result != 0) __heddle_output_failed(stream);
    return result;
}

/* A null pointer: all streams, whose indicators are not at hand. */
void __heddle_flush_all(void) {}

void __heddle_flush_all__indicated(void) { __heddle_unmodelled("fflush of all streams in a program that uses their indicators"); }

ALWAYS int flush_all(void) {
    __heddle_flush_all();
    return some_success();
}

int fflush(void *stream) {
    if (stream == NULL) return flush_all();
    use_stream(stream);
    return flush(stream);
}

int fflush__unused(void *stream) {
    if (stream == NULL) return flush_all();
    use_stream(stream);
    __heddle_output_may_fail(stream);
    return 0;
}

int fflush_unlocked(void *stream) {
    if (stream == NULL) return flush_all();
    use_unlocked(stream);
    return flush(stream);
}

int fflush_unlocked__unused(void *stream) {
    if (stream == NULL) return flush_all();
    use_unlocked(stream);
    __heddle_output_may_fail(stream);
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
#define OUTPUT_CHARACTER(name, stream, effect, then, ...)                                                              \
    int name(int c, ##__VA_ARGS__) {                                                                                   \
        effect;                                                                                                        \
        if (__heddle_choose(2)) return (unsigned char)c;                                                               \
        __heddle_output_failed(stream);                                                                                \
        some_error();                                                                                                  \
        return -1;                                                                                                     \
    }                                                                                                                  \
    int name##__unused(int c, ##__VA_ARGS__) {                                                                         \
        effect;                                                                                                        \
        then;                                                                                                          \
        return 0;                                                                                                      \
    }
#define TO_STDOUT(name, effect) OUTPUT_CHARACTER(name, stdout, effect, __heddle_printed())
#define TO_STREAM(name, effect) OUTPUT_CHARACTER(name, stream, effect, __heddle_output_may_fail(stream), void *stream)

TO_STDOUT(putchar, use_standard(&stdout))
TO_STDOUT(putchar_unlocked, use_unlocked(stdout))
TO_STREAM(putc, use_stream(stream))
TO_STREAM(fputc, use_stream(stream))
TO_STREAM(_IO_putc, use_stream(stream))
TO_STREAM(putc_unlocked, use_unlocked(stream))

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
    if (written < count) {
        __heddle_output_failed(stream);
        some_error();
    }
    return written;
}

size_t fwrite__unused(const void *from, size_t each, size_t count, void *stream) {
    read_elements(from, each, count, stream);
    __heddle_output_may_fail(stream);
    return 0;
}

/* Copies a format that has no conversions, as much as fits; its whole length is the result. What a conversion writes
 * is not modelled: arbitrary text would let assertions about it fail that cannot. */
static int copy_format(char *to, size_t size, const char *format) {
    size_t length = 0;
    for (; format[length] != 0; length++) {
        if (format[length] == '%') __heddle_unmodelled("formatted text in memory (sprintf with a conversion)");
        if (length + 1 < size) {
            to[length] = format[length];
            __heddle_assert(to + length != format, "format-apart");
            __heddle_assert(format + length != to, "format-apart");
        }
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

/* The number of a file that is closed another one may have. */
void __heddle_forget_number(void *stream) {}

ALWAYS int *number_at(int index) { return (int *)__heddle_ghost(number_table) + index; }

void __heddle_forget_number__indicated(void *stream) {
    int index = cell_get(number_of(stream));
    if (index != 0) cell_put(number_at(index - 1), 0);
}

ALWAYS void close_stream(void *stream) {
    use_stream(stream);
    if (stream == stdin || stream == stdout || stream == stderr) __heddle_unmodelled("fclose of a standard stream");
    __heddle_forget_number(stream);
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

/* The number of a file that was opened: not that of another open one. */
static int find_number(int *index) {
    int found = 0, number = 3 + (int)__heddle_choose(0x7ffffffcu);
    for (int i = 0; i < MOST_NUMBERS; i++) {
        int other = cell_get(number_at(i));
        __heddle_assume(other != number);
        if (other == 0 && found == 0) found = i + 1;
    }
    if (found == 0) __heddle_unmodelled("the numbers of more than 8 open streams");
    cell_put(number_at(found - 1), number);
    cell_put(index, found);
    return number;
}

int fileno(void *stream) {
    use_stream(stream);
    if (stream == stdin) return 0;
    if (stream == stdout) return 1;
    if (stream == stderr) return 2;
    __heddle_atomic_begin();
    int index = cell_get(number_of(stream));
    int number = index != 0 ? cell_get(number_at(index - 1)) : find_number(number_of(stream));
    __heddle_atomic_end();
    return number;
}

int ferror(void *stream) {
    use_stream(stream);
    int state = cell_get(indicators_of(stream));
    if (state & HAS_FAILED) return 1;
    if (!(state & MAY_HAVE_FAILED) && stream != stderr) return 0;
    if (__heddle_choose(2)) {
        indicate(stream, HAS_FAILED);
        return 1;
    }
    __atomic_fetch_and(indicators_of(stream), ~MAY_HAVE_FAILED, __ATOMIC_RELAXED);
    return 0;
}

int feof(void *stream) {
    use_stream(stream);
    return cell_get(indicators_of(stream)) & INPUT_ENDED;
}

void clearerr(void *stream) {
    use_stream(stream);
    cell_put(indicators_of(stream), 0);
}
