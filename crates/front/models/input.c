/* Models input of <stdio.h>: what is read is arbitrary. sscanf is exact for integers and characters.
 *
 * The scanf functions have pointers for parameters, as many as the format asks for and at most 8 (then unmodelled);
 * the lowering passes the arguments of a variadic call on. Conversions: d i u x o, c s with a width, literal text,
 * white space, and the lengths hh h l ll z j t; everything else is unmodelled. Input may end, or not fit, at any
 * conversion.
 */
#include "heddle.h"

enum { END = -1, MOST_POINTERS = 8, MOST_CHARACTERS = 2 };

long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);

ALWAYS int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Where scanf is: the format, the text (NULL if it is arbitrary) and what has been done. */
struct scan {
    const char *format;
    const char *text;
    int done;
};

/* Stores an integer of the conversion's length: 1, 2, 4 or 8 bytes. */
static void store(void *to, int bytes, unsigned long long value) {
    if (bytes == 1) *(unsigned char *)to = (unsigned char)value;
    if (bytes == 2) *(unsigned short *)to = (unsigned short)value;
    if (bytes == 4) *(unsigned *)to = (unsigned)value;
    if (bytes == 8) *(unsigned long long *)to = value;
}

static unsigned long long some_value(int bytes) {
    if (bytes == 1) return __VERIFIER_nondet_uchar();
    return bytes == 8 ? __VERIFIER_nondet_ulonglong() : __VERIFIER_nondet_uint();
}

/* Reads the length of a conversion and gives its bytes. */
static int take_length(struct scan *scan) {
    const char *at = scan->format;
    int bytes = 4;
    if (at[0] == 'h') {
        bytes = at[1] == 'h' ? 1 : 2;
    } else if (at[0] == 'l') {
        bytes = at[1] == 'l' ? 8 : (int)sizeof(long);
    } else if (at[0] == 'z' || at[0] == 't') {
        bytes = (int)sizeof(long);
    } else if (at[0] == 'j') {
        bytes = 8;
    }
    if (bytes != 4 || at[0] == 'l' || at[0] == 'z' || at[0] == 't') scan->format++;
    if ((at[0] == 'h' || at[0] == 'l') && at[0] == at[1]) scan->format++;
    return bytes;
}

/* The base of an integer conversion, -1 for another conversion. */
static int base_of(char conversion) {
    switch (conversion) {
    case 'd':
    case 'u': return 10;
    case 'i': return 0;
    case 'x':
    case 'X': return 16;
    case 'o': return 8;
    default: return -1;
    }
}

/* Whether a number can be stored: C leaves undefined what happens otherwise. */
static int fits(unsigned long long value, int bytes, int is_negative, int is_signed) {
    unsigned long long most = ~0ull >> (64 - 8 * bytes);
    unsigned long long magnitude = is_negative ? 0 - value : value;
    if (!is_signed) return magnitude <= most;
    return magnitude <= most / 2 + (unsigned)is_negative;
}

/* An integer conversion; whether it succeeded. */
static int scan_integer(struct scan *scan, void *to, int bytes, int base, int is_signed) {
    if (scan->text == NULL) {
        if (__heddle_choose(2)) return 0;
        if (to) store(to, bytes, some_value(bytes));
        return 1;
    }
    char *end;
    const char *text = scan->text;
    while (is_space(*text)) text++;
    int is_negative = *text == '-';
    const char *first = text + (is_negative || *text == '+');
    /* C calls 0x without digits a failure, glibc a 0. */
    int has_prefix = (base == 0 || base == 16) && first[0] == '0' && (first[1] == 'x' || first[1] == 'X');
    unsigned long long value = is_negative ? (unsigned long long)strtoll(text, &end, base) : strtoull(text, &end, base);
    if (end == text) return 0;
    if (has_prefix && end == first + 1) __heddle_unmodelled("scanf of 0x without digits");
    if (!fits(value, bytes, is_negative, is_signed)) __heddle_unmodelled("scanf of a number that does not fit");
    scan->text = end;
    if (to) store(to, bytes, value);
    return 1;
}

/* `width` characters (0: as many as there are that are not white space, closed by a 0); whether it succeeded. */
static int scan_characters(struct scan *scan, char *to, int width, int is_word) {
    if (scan->text == NULL) {
        if (is_word && width == 0) __heddle_unmodelled("scanf of a word without a width");
        if (__heddle_choose(2)) return 0;
        int length = is_word ? 1 + (int)__heddle_choose((unsigned)width) : width;
        for (int i = 0; to && i < length; i++) {
            to[i] = (char)__VERIFIER_nondet_uchar();
            if (is_word) __heddle_assume(to[i] != 0 && !is_space(to[i]));
        }
        if (to && is_word) to[length] = 0;
        return 1;
    }
    if (is_word) {
        while (is_space(*scan->text)) scan->text++;
    }
    int length = 0;
    for (; scan->text[0] != 0 && !(is_word && is_space(scan->text[0])) && (width == 0 || length < width); length++) {
        if (to) to[length] = scan->text[0];
        scan->text++;
    }
    if (length == 0) return 0;
    if (to && is_word) to[length] = 0;
    /* C calls that a failure, glibc a success. */
    if (!is_word && length < width) __heddle_unmodelled("scanf of fewer characters than the width");
    return 1;
}

/* White space and literal text of the format; whether the input has it. */
static int scan_literal(struct scan *scan) {
    char wanted = *scan->format++;
    if (is_space(wanted)) {
        while (scan->text && is_space(*scan->text)) scan->text++;
        return 1;
    }
    if (scan->text == NULL) return !__heddle_choose(2);
    if (wanted == '%') {
        while (is_space(*scan->text)) scan->text++;
    }
    if (*scan->text != wanted) return 0;
    scan->text++;
    return 1;
}

/* One conversion, the format being behind its %; whether it succeeded. */
static int scan_conversion(struct scan *scan, void *const *pointers) {
    int is_skipped = *scan->format == '*';
    if (is_skipped) scan->format++;
    int width = 0;
    for (; *scan->format >= '0' && *scan->format <= '9'; scan->format++) width = 10 * width + (*scan->format - '0');
    int bytes = take_length(scan);
    int is_wide = scan->format[-1] == 'l';
    char conversion = *scan->format++;
    int base = base_of(conversion);
    if (!is_skipped && scan->done == MOST_POINTERS) __heddle_unmodelled("scanf with more than 8 conversions");
    void *to = is_skipped ? NULL : pointers[scan->done];
    int is_good;
    if (base >= 0 && width == 0) {
        is_good = scan_integer(scan, to, bytes, base, conversion == 'd' || conversion == 'i');
    } else if ((conversion == 'c' || conversion == 's') && !is_wide) {
        is_good = scan_characters(scan, to, conversion == 'c' && width == 0 ? 1 : width, conversion == 's');
    } else {
        __heddle_unmodelled("scanf with this conversion");
    }
    if (is_good && !is_skipped) {
        if (to == NULL) *(volatile char *)to = 0;
        scan->done++;
    }
    return is_good;
}

/* Whether the text ends here, white space aside where the directive that failed skips it. */
static int is_at_end(const char *text, int skips_space) {
    while (skips_space && is_space(*text)) text++;
    return *text == 0;
}

static int scan_all(const char *text, const char *format, void *const *pointers) {
    struct scan scan = {format, text, 0};
    while (*scan.format != 0) {
        int is_conversion = scan.format[0] == '%' && scan.format[1] != '%';
        if (scan.format[0] == '%') scan.format++;
        const char *before = scan.text;
        if (is_conversion ? scan_conversion(&scan, pointers) : scan_literal(&scan)) continue;
        if (scan.done > 0) return scan.done;
        if (before == NULL) return __heddle_choose(2) ? END : 0;
        char last = scan.format[-1];
        return is_at_end(before, last == '%' || (is_conversion && last != 'c')) ? END : 0;
    }
    return scan.done;
}

/* How many arguments the format asks for. The others are not there, and must not be touched. */
static int count_pointers(const char *format) {
    int count = 0;
    for (; *format != 0; format++) {
        if (format[0] != '%') continue;
        format++;
        if (*format == 0) break;
        if (*format != '%' && *format != '*') count++;
    }
    return count;
}

extern void *stdin;

/* scanf of a stream. Once the end was seen, whatever asks for a character fails. */
static int scan_stream(void *stream, const char *format, void *const *pointers) {
    if (__heddle_has_ended(stream)) return is_at_end(format, 1) ? 0 : END;
    int result = scan_all(NULL, format, pointers);
    __heddle_scanned(stream, result == END);
    return result;
}

#define POINTERS void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h

#define SCAN(scan, from, format)                                                                                           \
    void *list[MOST_POINTERS];                                                                                         \
    int count = count_pointers(format);                                                                                \
    if (count > 0) list[0] = a;                                                                                        \
    if (count > 1) list[1] = b;                                                                                        \
    if (count > 2) list[2] = c;                                                                                        \
    if (count > 3) list[3] = d;                                                                                        \
    if (count > 4) list[4] = e;                                                                                        \
    if (count > 5) list[5] = f;                                                                                        \
    if (count > 6) list[6] = g;                                                                                        \
    if (count > 7) list[7] = h;                                                                                        \
    return scan(from, format, list)

#define SCAN_INPUT(name)                                                                                               \
    int name(const char *format, POINTERS) {                                                                           \
        use_standard(&stdin);                                                                                          \
        use_locale();                                                                                                  \
        SCAN(scan_stream, stdin, format);                                                                                            \
    }
#define SCAN_STREAM(name)                                                                                              \
    int name(void *stream, const char *format, POINTERS) {                                                             \
        use_stream(stream);                                                                                            \
        use_locale();                                                                                                  \
        SCAN(scan_stream, stream, format);                                                                                            \
    }
#define SCAN_TEXT(name)                                                                                                \
    int name(const char *text, const char *format, POINTERS) {                                                         \
        use_locale();                                                                                                  \
        SCAN(scan_all, text, format);                                                                                            \
    }

SCAN_INPUT(scanf)
SCAN_INPUT(__isoc99_scanf)
SCAN_INPUT(__isoc23_scanf)
SCAN_STREAM(fscanf)
SCAN_STREAM(__isoc99_fscanf)
SCAN_STREAM(__isoc23_fscanf)
SCAN_TEXT(sscanf)
SCAN_TEXT(__isoc99_sscanf)
SCAN_TEXT(__isoc23_sscanf)

ALWAYS int some_character(void *stream) {
    if (__heddle_has_ended(stream)) return END;
    int c = (int)__heddle_choose(257) - 1;
    if (c == END) __heddle_input_failed(stream, 0);
    return c;
}

/* What getchar reads, which needs not know where stdin is. */
int __heddle_get_character(void) { return (int)__heddle_choose(257) - 1; }

int __heddle_get_character__indicated(void) { return some_character(stdin); }

int getchar(void) {
    use_standard(&stdin);
    return __heddle_get_character();
}

int getchar_unlocked(void) {
    use_unlocked(stdin);
    return __heddle_get_character();
}

int getc(void *stream) {
    use_stream(stream);
    return some_character(stream);
}

int fgetc(void *stream) {
    use_stream(stream);
    return some_character(stream);
}

int _IO_getc(void *stream) {
    use_stream(stream);
    return some_character(stream);
}

/* Writes `count` arbitrary bytes. */
static void write_some_bytes(void *to, size_t count) {
    void *anything = __heddle_alloc(count, 1, 0);
    __builtin_memcpy(to, anything, count);
    __heddle_free(anything);
}

char *fgets(char *to, int size, void *stream) {
    use_stream(stream);
    if (size == 1) {
        to[0] = 0;
        return to;
    }
    if (size <= 0) return NULL;
    if (__heddle_has_ended(stream)) return NULL;
    if (__heddle_choose(2)) {
        /* The input has ended, or could not be read: then the contents are anything. */
        int has_error = (int)__heddle_choose(2);
        if (has_error) write_some_bytes(to, (size_t)size);
        __heddle_input_failed(stream, has_error);
        return NULL;
    }
    /* At least one character, and none behind a newline, which for longer texts would take too long to decide. */
    int length = 1 + (int)__heddle_choose((unsigned)size - 1);
    if (length > MOST_CHARACTERS) __heddle_unmodelled("fgets of more than 2 characters");
    write_some_bytes(to, (size_t)length);
    for (int i = 0; i < length - 1; i++) __heddle_assume(to[i] != '\n');
    to[length] = 0;
    /* It stops before there is no more room, and without a newline, only at the end. */
    if (length < size - 1 && to[length - 1] != '\n') __heddle_line_ended(stream);
    return to;
}

size_t fread(void *to, size_t each, size_t count, void *stream) {
    use_stream(stream);
    size_t bytes;
    if (__builtin_mul_overflow(each, count, &bytes)) __heddle_unmodelled("fread of more than memory can hold");
    if (bytes == 0) return 0;
    if (count >= 0xffffffffu) __heddle_unmodelled("fread of 2^32 elements");
    if (__heddle_has_ended(stream)) return 0;
    size_t read = __heddle_choose((unsigned)count + 1);
    if (read < count) __heddle_input_failed(stream, 0);
    /* The element that was not read as a whole is anything. */
    write_some_bytes(to, (each > 1 && read < count ? read + 1 : read) * each);
    return read;
}
