/* Models conversion of text to integers: atoi, strtol and their family, exactly, in the C locale.
 *
 * Floating-point numbers (atof, strtod) are unmodelled.
 */
#include "heddle.h"

ALWAYS int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The value of a digit in bases up to 36, or 99. */
ALWAYS int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
    return 99;
}

struct number {
    unsigned long long magnitude;
    int is_negative;
    int is_too_large;
};

/* Skips a prefix that goes with the base and gives the base. */
ALWAYS int base_at(const char **text, int base, int has_binary) {
    const char *at = *text;
    if (has_binary && (base == 0 || base == 2) && at[0] == '0' && (at[1] == 'b' || at[1] == 'B') && digit_of(at[2]) < 2) {
        *text = at + 2;
        return 2;
    }
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && digit_of(at[2]) < 16) {
        *text = at + 2;
        return 16;
    }
    if (base != 0) return base;
    return at[0] == '0' ? 8 : 10;
}

static struct number parse(const char *text, char **end, int base, int has_binary) {
    struct number number = {0, 0, 0};
    const char *at = text;
    if (base < 0 || base == 1 || base > 36) {
        *__errno_location() = EINVAL;
        if (end) *end = (char *)text;
        return number;
    }
    while (is_space(*at)) at++;
    number.is_negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    base = base_at(&at, base, has_binary);
    const char *first = at;
    for (; digit_of(*at) < base; at++) {
        if (__builtin_mul_overflow(number.magnitude, (unsigned long long)base, &number.magnitude) ||
            __builtin_add_overflow(number.magnitude, (unsigned long long)digit_of(*at), &number.magnitude))
            number.is_too_large = 1;
    }
    if (end) *end = (char *)(at == first ? text : at);
    return number;
}

static long long to_signed(struct number number, long long least, long long most) {
    unsigned long long limit = (unsigned long long)most + (unsigned)number.is_negative;
    if (number.is_too_large || number.magnitude > limit) {
        *__errno_location() = ERANGE;
        return number.is_negative ? least : most;
    }
    return (long long)(number.is_negative ? 0 - number.magnitude : number.magnitude);
}

static unsigned long long to_unsigned(struct number number, unsigned long long most) {
    if (number.is_too_large || number.magnitude > most) {
        *__errno_location() = ERANGE;
        return most;
    }
    return number.is_negative ? 0 - number.magnitude : number.magnitude;
}

/* Each function twice: as it was, and with the prefix 0b of C23, which glibc's headers choose by another name. */
#define CONVERSION(type, name, convert, ...)                                                                     \
    type name(const char *text, char **end, int base) {                                                                \
        use_locale();                                                                                                  \
        return (type)convert(parse(text, end, base, 0), __VA_ARGS__);                                                  \
    }                                                                                                                  \
    type __isoc23_##name(const char *text, char **end, int base) {                                                     \
        use_locale();                                                                                                  \
        return (type)convert(parse(text, end, base, 1), __VA_ARGS__);                                                  \
    }

CONVERSION(long, strtol, to_signed, -__LONG_MAX__ - 1, __LONG_MAX__)
CONVERSION(long long, strtoll, to_signed, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__)
CONVERSION(unsigned long, strtoul, to_unsigned, 2ul * __LONG_MAX__ + 1)
CONVERSION(unsigned long long, strtoull, to_unsigned, 2ull * __LONG_LONG_MAX__ + 1)

long __strtol_internal(const char *text, char **end, int base, int group) {
    (void)group;
    return strtol(text, end, base);
}

long long strtoimax(const char *text, char **end, int base) { return strtoll(text, end, base); }

unsigned long long strtoumax(const char *text, char **end, int base) { return strtoull(text, end, base); }

/* C11 7.22.1p1: what happens if the number does not fit is undefined. */
ALWAYS long long to_fitting(const char *text, long long most) {
    struct number number = parse(text, NULL, 10, 0);
    if (number.is_too_large || number.magnitude > (unsigned long long)most + (unsigned)number.is_negative) {
        __heddle_unmodelled("undefined behaviour (atoi or its like of a number that does not fit)");
    }
    return (long long)(number.is_negative ? 0 - number.magnitude : number.magnitude);
}

int atoi(const char *text) { return (int)to_fitting(text, __INT_MAX__); }

long atol(const char *text) { return (long)to_fitting(text, __LONG_MAX__); }

long long atoll(const char *text) { return to_fitting(text, __LONG_LONG_MAX__); }

double strtod(const char *text, char **end) {
    (void)text, (void)end;
    use_locale();
    __heddle_unmodelled("strtod");
}

float strtof(const char *text, char **end) {
    (void)text, (void)end;
    use_locale();
    __heddle_unmodelled("strtof");
}

double atof(const char *text) {
    (void)text;
    use_locale();
    __heddle_unmodelled("atof");
}
