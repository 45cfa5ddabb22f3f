/* Models memory allocation and small functions of <stdlib.h>.
 *
 * Allocation succeeds, unless the size is more than half of the address space. A block of no bytes has an address of
 * its own, as in glibc. realloc moves the block always and needs its old size, which the __sized variants leave in
 * the last word of the ghost record of the block; blocks of less than 4 bytes have no such word, and making one in a
 * program that uses realloc is unmodelled, and so is realloc of a block whose size was not left. qsort compares in the
 * order of an insertion sort. getenv finds nothing, or ends unmodelled.
 */
#include "heddle.h"

enum { ALIGN = 2 * sizeof(void *) };

ALWAYS int is_too_large(size_t bytes) { return (ssize_t)bytes < 0; }

ALWAYS void *no_memory(void) {
    *__errno_location() = ENOMEM;
    return NULL;
}

/* The size of a block plus 1, or 0 if it is not known. With the highest bit it is one of C++ (crates/front/src/families.rs). */
ALWAYS unsigned *size_word(void *block) { return (unsigned *)__heddle_ghost(block) + 3; }

ALWAYS void *note_size(void *block, size_t bytes) {
    if (bytes < 4) __heddle_unmodelled("block of less than 4 bytes in a program that uses realloc");
    if (bytes >= 0x7fffffffu) __heddle_unmodelled("block of 2 gigabytes in a program that uses realloc");
    __atomic_store_n(size_word(block), (unsigned)bytes + 1, __ATOMIC_RELAXED);
    return block;
}

ALWAYS size_t noted_size(void *block) {
    unsigned noted = __atomic_load_n(size_word(block), __ATOMIC_RELAXED);
    if (noted == 0 || noted > 0x7fffffffu) __heddle_unmodelled("realloc of a block whose size is not known");
    return noted - 1;
}

void *malloc(size_t bytes) { return is_too_large(bytes) ? no_memory() : __heddle_alloc(bytes, ALIGN, 0); }

void *malloc__sized(size_t bytes) {
    return is_too_large(bytes) ? no_memory() : note_size(__heddle_alloc(bytes, ALIGN, 0), bytes);
}

void *calloc(size_t count, size_t each) {
    size_t bytes;
    if (__builtin_mul_overflow(count, each, &bytes) || is_too_large(bytes)) return no_memory();
    return __heddle_alloc(bytes, ALIGN, 1);
}

void *calloc__sized(size_t count, size_t each) {
    size_t bytes;
    if (__builtin_mul_overflow(count, each, &bytes) || is_too_large(bytes)) return no_memory();
    return note_size(__heddle_alloc(bytes, ALIGN, 1), bytes);
}

void free(void *block) { __heddle_free(block); }

void cfree(void *block) { __heddle_free(block); }

ALWAYS void *resize(void *block, size_t bytes) {
    if (block == NULL) return malloc__sized(bytes);
    if (is_too_large(bytes)) return no_memory();
    size_t old = noted_size(block);
    void *moved = note_size(__heddle_alloc(bytes, ALIGN, 0), bytes);
    __builtin_memcpy(moved, block, old < bytes ? old : bytes);
    __heddle_free(block);
    return moved;
}

/* C17 7.22.3: the implementation decides whether there is a block of no bytes. */
void *realloc(void *block, size_t bytes) {
    if (block == NULL || bytes != 0) return resize(block, bytes);
    __heddle_free(block);
    return __heddle_choose(2) ? __heddle_alloc(0, ALIGN, 0) : NULL;
}

/* glibc frees the block. */
void *realloc__glibc(void *block, size_t bytes) {
    if (block == NULL || bytes != 0) return resize(block, bytes);
    __heddle_free(block);
    return NULL;
}

void *reallocarray(void *block, size_t count, size_t each) {
    size_t bytes;
    if (__builtin_mul_overflow(count, each, &bytes)) return no_memory();
    return realloc(block, bytes);
}

size_t malloc_usable_size(void *block) { return block ? noted_size(block) : 0; }

/* Alignments that programs ask for; the lowering wants literal ones. */
ALWAYS void *aligned_block(size_t align, size_t bytes) {
    if (align <= ALIGN) return __heddle_alloc(bytes, ALIGN, 0);
    if (align <= 64) return __heddle_alloc(bytes, 64, 0);
    if (align <= 4096) return __heddle_alloc(bytes, 4096, 0);
    __heddle_unmodelled("alignment of more than 4096 bytes");
}

ALWAYS int is_power(size_t n) { return n != 0 && (n & (n - 1)) == 0; }

void *aligned_alloc(size_t align, size_t bytes) {
    if (!is_power(align)) {
        *__errno_location() = EINVAL;
        return NULL;
    }
    return is_too_large(bytes) ? no_memory() : aligned_block(align, bytes);
}

/* What is no power of 2 is made one. */
void *memalign(size_t align, size_t bytes) {
    size_t power = ALIGN;
    while (power < align && power <= 4096) power *= 2;
    return aligned_alloc(power, bytes);
}

void *valloc(size_t bytes) { return aligned_alloc(4096, bytes); }

int posix_memalign(void **result, size_t align, size_t bytes) {
    if (!is_power(align) || align % sizeof(void *) != 0) return EINVAL;
    if (is_too_large(bytes)) return ENOMEM;
    *result = aligned_block(align, bytes);
    return 0;
}

int abs(int n) { return n < 0 ? -n : n; }

long labs(long n) { return n < 0 ? -n : n; }

long long llabs(long long n) { return n < 0 ? -n : n; }

long long imaxabs(long long n) { return n < 0 ? -n : n; }

int ffs(int n) { return n == 0 ? 0 : __builtin_ctz((unsigned)n) + 1; }

int ffsl(long n) { return n == 0 ? 0 : __builtin_ctzl((unsigned long)n) + 1; }

int ffsll(long long n) { return n == 0 ? 0 : __builtin_ctzll((unsigned long long)n) + 1; }

/* C11 7.22.4.6: getenv need not avoid data races with threads that modify the environment; it races with nothing
 * else. glibc says so too ("MT-Safe env", "MT-Unsafe const:env"). */
static int environment;

ALWAYS char *find_variable(const char *name) {
    __heddle_read_text(name, (size_t)-1);
    __heddle_hidden(&environment, HEDDLE_READS);
    if (__heddle_choose(2)) __heddle_unmodelled("getenv that finds the variable");
    return NULL;
}

char *getenv(const char *name) { return find_variable(name); }

char *secure_getenv(const char *name) { return find_variable(name); }

int setenv(const char *name, const char *value, int overwrite) {
    (void)name, (void)value, (void)overwrite;
    __heddle_hidden(&environment, HEDDLE_WRITES);
    __heddle_unmodelled("setenv");
}

int unsetenv(const char *name) {
    (void)name;
    __heddle_hidden(&environment, HEDDLE_WRITES);
    __heddle_unmodelled("unsetenv");
}

int putenv(char *text) {
    (void)text;
    __heddle_hidden(&environment, HEDDLE_WRITES);
    __heddle_unmodelled("putenv");
}

int clearenv(void) {
    __heddle_hidden(&environment, HEDDLE_WRITES);
    __heddle_unmodelled("clearenv");
}

static int system_state;

/* Need not be thread-safe by POSIX; glibc says that it is. */
int system(const char *command) {
    (void)command;
    __heddle_hidden(&system_state, HEDDLE_WRITES);
    __heddle_unmodelled("system");
}

int system__glibc(const char *command) {
    (void)command;
    __heddle_unmodelled("system");
}

typedef int (*comparison)(const void *, const void *);

static int is_same(const char *left, const char *right, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        if (left[i] != right[i]) return 0;
    }
    return 1;
}

void qsort(void *base, size_t count, size_t each, comparison compare) {
    if (count < 2 || each == 0) return;
    char *first = base;
    char *held = __heddle_alloc(each, ALIGN, 0);
    for (size_t next = 1; next < count; next++) {
        size_t place = next;
        __builtin_memcpy(held, first + next * each, each);
        for (; place > 0; place--) {
            int order = compare(first + (place - 1) * each, held);
            /* Of equal elements any may come first. Nothing is chosen where it makes no difference. */
            if (order == 0 && !is_same(first + (place - 1) * each, held, each) && __heddle_choose(2)) order = 1;
            if (order <= 0) break;
            __builtin_memmove(first + place * each, first + (place - 1) * each, each);
        }
        __builtin_memcpy(first + place * each, held, each);
    }
    __heddle_free(held);
}

void *bsearch(const void *wanted, const void *base, size_t count, size_t each, comparison compare) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *element = (const char *)base + middle * each;
        int order = compare(wanted, element);
        if (order == 0) return (void *)element;
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}
