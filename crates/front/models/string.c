/* Models <string.h> exactly, in the C locale, byte by byte.
 *
 * memcpy, memmove and memset are native range statements.
 */
#include "heddle.h"

typedef unsigned char byte;

/* Copying between objects that overlap is undefined (C11 7.24.2.3p2 and its like). Said of each byte after it was copied, `to` and `from` being where
 * it began: whichever comes later reaches where the other began. */
#define CHECK_APART(to_now, from_now, to, from)                                                                        \
    do {                                                                                                               \
        __heddle_assert((to_now) != (from), "copy-apart");                             \
        __heddle_assert((from_now) != (to), "copy-apart");                             \
    } while (0)

void *memcpy(void *to, const void *from, size_t count) { return __builtin_memcpy(to, from, count); }

void *memmove(void *to, const void *from, size_t count) { return __builtin_memmove(to, from, count); }

void *memset(void *to, int value, size_t count) { return __builtin_memset(to, value, count); }

void *mempcpy(void *to, const void *from, size_t count) {
    __builtin_memcpy(to, from, count);
    return (char *)to + count;
}

void bcopy(const void *from, void *to, size_t count) { __builtin_memmove(to, from, count); }

void bzero(void *to, size_t count) { __builtin_memset(to, 0, count); }

void explicit_bzero(void *to, size_t count) { __builtin_memset(to, 0, count); }

void *memccpy(void *to, const void *from, int stop, size_t count) {
    byte *target = to;
    const byte *source = from;
    for (size_t i = 0; i < count; i++) {
        target[i] = source[i];
        CHECK_APART(target + i, source + i, target, source);
        if (source[i] == (byte)stop) return target + i + 1;
    }
    return NULL;
}

/* The result of a comparison of characters that differ: C promises the sign only. glibc gives their difference or 1,
 * depending on the machine and on how the call is compiled. */
ALWAYS int order_of(byte a, byte b) {
    int difference = a - b;
    if (difference == 1 || difference == -1 || __heddle_choose(2)) return difference;
    return difference < 0 ? -1 : 1;
}

/* All of both objects is compared: the loop goes on where they differ, because the rest is read too. */
int memcmp(const void *left, const void *right, size_t count) {
    const volatile byte *a = left, *b = right;
    byte first_a = 0, first_b = 0;
    for (size_t i = 0; i < count; i++) {
        byte c = a[i], d = b[i];
        if (first_a == first_b) first_a = c, first_b = d;
    }
    return first_a == first_b ? 0 : order_of(first_a, first_b);
}

int bcmp(const void *left, const void *right, size_t count) { return memcmp(left, right, count); }

void *memchr(const void *in, int wanted, size_t count) {
    const byte *at = in;
    for (size_t i = 0; i < count; i++) {
        if (at[i] == (byte)wanted) return (void *)(at + i);
    }
    return NULL;
}

void *memrchr(const void *in, int wanted, size_t count) {
    const byte *at = in;
    for (size_t i = count; i > 0; i--) {
        if (at[i - 1] == (byte)wanted) return (void *)(at + i - 1);
    }
    return NULL;
}

void *rawmemchr(const void *in, int wanted) {
    const byte *at = in;
    while (*at != (byte)wanted) at++;
    return (void *)at;
}

static int is_same(const char *left, const char *right, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (left[i] != right[i]) return 0;
    }
    return 1;
}

void *memmem(const void *in, size_t length, const void *wanted, size_t count) {
    const char *at = in;
    for (size_t i = 0; i + count <= length; i++) {
        if (is_same(at + i, wanted, count)) return (void *)(at + i);
    }
    return NULL;
}

size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length] != 0) length++;
    return length;
}

size_t strnlen(const char *text, size_t most) {
    size_t length = 0;
    while (length < most && text[length] != 0) length++;
    return length;
}

char *stpcpy(char *to, const char *from) {
    const char *const target = to, *const source = from;
    for (;; to++, from++) {
        char c = *from;
        *to = c;
        CHECK_APART(to, from, target, source);
        if (c == 0) return to;
    }
}

char *strcpy(char *to, const char *from) {
    stpcpy(to, from);
    return to;
}

char *stpncpy(char *to, const char *from, size_t count) {
    size_t i = 0;
    for (; i < count && from[i] != 0; i++) {
        to[i] = from[i];
        CHECK_APART(to + i, from + i, to, from);
    }
    for (size_t j = i; j < count; j++) {
        to[j] = 0;
        __heddle_assert(to + j != from, "copy-apart");
    }
    return to + i;
}

char *strncpy(char *to, const char *from, size_t count) {
    stpncpy(to, from, count);
    return to;
}

size_t strlcpy(char *to, const char *from, size_t size) {
    size_t i = 0;
    for (; size != 0 && i < size - 1 && from[i] != 0; i++) {
        to[i] = from[i];
        CHECK_APART(to + i, from + i, to, from);
    }
    if (size != 0) to[i] = 0;
    return i + strlen(from + i);
}

char *strcat(char *to, const char *from) {
    stpcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, size_t count) {
    char *const target = to + strlen(to), *end = target;
    const char *const source = from;
    for (; count > 0 && *from != 0; count--, end++, from++) {
        *end = *from;
        CHECK_APART(end, from, target, source);
    }
    *end = 0;
    return to;
}

int strncmp(const char *left, const char *right, size_t count) {
    for (; count > 0; count--, left++, right++) {
        byte a = (byte)*left, b = (byte)*right;
        if (a != b) return order_of(a, b);
        if (a == 0) return 0;
    }
    return 0;
}

int strcmp(const char *left, const char *right) { return strncmp(left, right, (size_t)-1); }

int strcoll(const char *left, const char *right) {
    use_locale();
    return strcmp(left, right);
}

ALWAYS int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (byte)c; }

int strncasecmp(const char *left, const char *right, size_t count) {
    use_locale();
    for (; count > 0; count--, left++, right++) {
        int a = lower(*left), b = lower(*right);
        if (a != b) return a - b;
        if (a == 0) return 0;
    }
    return 0;
}

int strcasecmp(const char *left, const char *right) { return strncasecmp(left, right, (size_t)-1); }

char *strchrnul(const char *text, int wanted) {
    while (*text != 0 && *text != (char)wanted) text++;
    return (char *)text;
}

char *strchr(const char *text, int wanted) {
    char *found = strchrnul(text, wanted);
    return *found == (char)wanted ? found : NULL;
}

char *index(const char *text, int wanted) { return strchr(text, wanted); }

char *strrchr(const char *text, int wanted) {
    const char *found = NULL;
    for (;; text++) {
        if (*text == (char)wanted) found = text;
        if (*text == 0) return (char *)found;
    }
}

char *rindex(const char *text, int wanted) { return strrchr(text, wanted); }

/* Whether `c`, which is not 0, is in the set. */
static int is_in(char c, const char *set) {
    for (; *set != 0; set++) {
        if (*set == c) return 1;
    }
    return 0;
}

size_t strspn(const char *text, const char *set) {
    size_t length = 0;
    while (text[length] != 0 && is_in(text[length], set)) length++;
    return length;
}

size_t strcspn(const char *text, const char *set) {
    size_t length = 0;
    while (text[length] != 0 && !is_in(text[length], set)) length++;
    return length;
}

char *strpbrk(const char *text, const char *set) {
    text += strcspn(text, set);
    return *text != 0 ? (char *)text : NULL;
}

char *strstr(const char *text, const char *wanted) {
    size_t length = strlen(wanted);
    for (;; text++) {
        size_t same = 0;
        while (same < length && text[same] == wanted[same]) same++;
        if (same == length) return (char *)text;
        if (*text == 0) return NULL;
    }
}

char *strtok_r(char *text, const char *separators, char **rest) {
    if (text == NULL) text = *rest;
    text += strspn(text, separators);
    if (*text == 0) {
        *rest = text;
        return NULL;
    }
    char *end = text + strcspn(text, separators);
    *rest = *end == 0 ? end : end + 1;
    *end = 0;
    return text;
}

char *__strtok_r(char *text, const char *separators, char **rest) { return strtok_r(text, separators, rest); }

/* What is left is in the ghost record of this, and all threads share it. */
static int strtok_state __attribute__((aligned(16)));

char *strtok(char *text, const char *separators) {
    __heddle_hidden(&strtok_state, HEDDLE_WRITES);
    char **cell = __heddle_ghost(&strtok_state);
    char *rest = __atomic_load_n(cell, __ATOMIC_RELAXED);
    char *token = strtok_r(text, separators, &rest);
    __atomic_store_n(cell, rest, __ATOMIC_RELAXED);
    return token;
}

char *strsep(char **text, const char *separators) {
    char *start = *text;
    if (start == NULL) return NULL;
    char *end = start + strcspn(start, separators);
    *text = *end == 0 ? NULL : end + 1;
    *end = 0;
    return start;
}

char *strdup(const char *text) {
    size_t size = strlen(text) + 1;
    return __builtin_memcpy(__heddle_alloc(size, 2 * sizeof(void *), 0), text, size);
}

char *__strdup(const char *text) { return strdup(text); }

char *strndup(const char *text, size_t most) {
    size_t length = strnlen(text, most);
    char *copy = __heddle_alloc(length + 1, 2 * sizeof(void *), 0);
    __builtin_memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}
