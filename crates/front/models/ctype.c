/* Models <ctype.h> exactly, in the C locale: the functions, and the tables that glibc's macros read.
 *
 * A table is indexed from -128 to 255; the bits of a class are those of glibc on a little-endian machine.
 */
#include "heddle.h"

enum {
    UPPER = 0x100,
    LOWER = 0x200,
    ALPHA = 0x400,
    DIGIT = 0x800,
    HEX = 0x1000,
    SPACE = 0x2000,
    PRINT = 0x4000,
    GRAPH = 0x8000,
    BLANK = 0x1,
    CONTROL = 0x2,
    PUNCTUATION = 0x4,
    ALNUM = 0x8
};

enum {
    MARK = PRINT | GRAPH | PUNCTUATION,
    LETTER = PRINT | GRAPH | ALPHA | ALNUM,
    FIGURE = PRINT | GRAPH | DIGIT | HEX | ALNUM
};

static const unsigned short classes[384] = {
    [128 + 0 ... 128 + 8] = CONTROL,
    [128 + '\t'] = CONTROL | SPACE | BLANK,
    [128 + '\n' ... 128 + '\r'] = CONTROL | SPACE,
    [128 + 14 ... 128 + 31] = CONTROL,
    [128 + ' '] = PRINT | SPACE | BLANK,
    [128 + '!' ... 128 + '/'] = MARK,
    [128 + '0' ... 128 + '9'] = FIGURE,
    [128 + ':' ... 128 + '@'] = MARK,
    [128 + 'A' ... 128 + 'F'] = LETTER | UPPER | HEX,
    [128 + 'G' ... 128 + 'Z'] = LETTER | UPPER,
    [128 + '[' ... 128 + '`'] = MARK,
    [128 + 'a' ... 128 + 'f'] = LETTER | LOWER | HEX,
    [128 + 'g' ... 128 + 'z'] = LETTER | LOWER,
    [128 + '{' ... 128 + '~'] = MARK,
    [128 + 127] = CONTROL,
};

#define FOUR(n) (n), (n) + 1, (n) + 2, (n) + 3
#define SIXTEEN(n) FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12)
#define LETTERS(n) SIXTEEN(n), FOUR((n) + 16), FOUR((n) + 20), (n) + 24, (n) + 25

/* -128 to -1, which are 128 to 254 and the end of the file, then 0 to 255; the letters stand apart. */
#define BEFORE_ZERO                                                                                                    \
    SIXTEEN(128), SIXTEEN(144), SIXTEEN(160), SIXTEEN(176), SIXTEEN(192), SIXTEEN(208), SIXTEEN(224), FOUR(240),       \
        FOUR(244), FOUR(248), 252, 253, 254, -1
#define MAP(upper, lower)                                                                                              \
    {BEFORE_ZERO,  SIXTEEN(0),     SIXTEEN(16),  SIXTEEN(32),  SIXTEEN(48),  64,           upper,                      \
     FOUR(91),     95,             96,           lower,        FOUR(123),    127,          SIXTEEN(128),               \
     SIXTEEN(144), SIXTEEN(160),   SIXTEEN(176), SIXTEEN(192), SIXTEEN(208), SIXTEEN(224), SIXTEEN(240)}

static const int to_lower[384] = MAP(LETTERS('a'), LETTERS('a'));
static const int to_upper[384] = MAP(LETTERS('A'), LETTERS('A'));

static const unsigned short *const classes_at_zero = classes + 128;
static const int *const to_lower_at_zero = to_lower + 128;
static const int *const to_upper_at_zero = to_upper + 128;

/* Which of the macros reads a table, and so whether the locale matters, is not known here. */
ALWAYS void use_table(void) {
    if (__heddle_needs(HEDDLE_SHARED_LOCALE)) __heddle_unmodelled("macros of <ctype.h> beside setlocale");
}

const unsigned short *const *__ctype_b_loc(void) {
    use_table();
    return &classes_at_zero;
}

const int *const *__ctype_tolower_loc(void) {
    use_table();
    return &to_lower_at_zero;
}

const int *const *__ctype_toupper_loc(void) {
    use_table();
    return &to_upper_at_zero;
}

#define IN(c, low, high) ((c) >= (low) && (c) <= (high))

/* C11 7.4p1: the argument is an unsigned char or EOF. */
ALWAYS void check_character(int c) {
    if (!IN(c, -1, 255)) __heddle_unmodelled("undefined behaviour (a function of <ctype.h> of a value that is neither EOF nor an unsigned char)");
}

/* As in glibc, the result is the bit of the class. */
#define CLASS(name, bit, condition)                                                                                    \
    int name(int c) {                                                                                                  \
        check_character(c);                                                                                            \
        use_locale();                                                                                                  \
        return (condition) ? bit : 0;                                                                                  \
    }
/* C11 7.4p2: these the locale does not affect. */
#define FIXED_CLASS(name, bit, condition)                                                                              \
    int name(int c) {                                                                                                  \
        check_character(c);                                                                                            \
        return (condition) ? bit : 0;                                                                                  \
    }

CLASS(isupper, UPPER, IN(c, 'A', 'Z'))
CLASS(islower, LOWER, IN(c, 'a', 'z'))
CLASS(isalpha, ALPHA, IN(c, 'A', 'Z') || IN(c, 'a', 'z'))
FIXED_CLASS(isdigit, DIGIT, IN(c, '0', '9'))
CLASS(isalnum, ALNUM, IN(c, '0', '9') || IN(c, 'A', 'Z') || IN(c, 'a', 'z'))
FIXED_CLASS(isxdigit, HEX, IN(c, '0', '9') || IN(c, 'A', 'F') || IN(c, 'a', 'f'))
CLASS(isspace, SPACE, c == ' ' || IN(c, '\t', '\r'))
CLASS(isblank, BLANK, c == ' ' || c == '\t')
CLASS(iscntrl, CONTROL, IN(c, 0, 31) || c == 127)
CLASS(isprint, PRINT, IN(c, ' ', '~'))
CLASS(isgraph, GRAPH, IN(c, '!', '~'))
CLASS(ispunct, PUNCTUATION, IN(c, '!', '~') && !isalnum(c))

int isascii(int c) { return IN(c, 0, 127); }

int toascii(int c) { return c & 127; }

int tolower(int c) {
    check_character(c);
    use_locale();
    return IN(c, 'A', 'Z') ? c - 'A' + 'a' : c;
}

int toupper(int c) {
    check_character(c);
    use_locale();
    return IN(c, 'a', 'z') ? c - 'a' + 'A' : c;
}
