/* Models libatomic: what the compiler calls for atomic accesses that are too large, or not aligned enough, for the
 * machine. Each is one atomic region that copies bytes. It stands between full fences of the machine, as the lock that
 * libatomic takes would order it, so that no access is torn under a weak memory model.
 *
 * That lock is no part of what the language promises. What an operation passes on, and what it learns, goes through a cell in the
 * ghost record of the object: each operation does to the cell what it does to the object, with its own memory order. So a load
 * synchronises with the store that it reads from and no other, a store ends the release sequences of those before it and a
 * read-modify-write continues them.
 *
 * The caller's own memory is accessed as what it is, plain memory: written outside the region, so that two such accesses race.
 */
#include "heddle.h"

typedef unsigned char byte;

/* In the order for failure: the compare-exchange may fail spuriously. libatomic has no such parameter; flags.rs adds it. */
enum { WEAK = 1 << 16 };

ALWAYS void region_begin(void) {
    __heddle_atomic_begin();
    __heddle_fence();
}

ALWAYS void region_end(void) {
    __heddle_fence();
    __heddle_atomic_end();
}

ALWAYS int *cell_of(const void *object) { return __heddle_ghost(object); }

static int is_equal(const void *left, const void *right, size_t bytes) {
    size_t i = 0;
    for (; bytes % sizeof(long) == 0 && i < bytes; i += sizeof(long)) {
        if (*(const long *)((const byte *)left + i) != *(const long *)((const byte *)right + i)) return 0;
    }
    for (; i < bytes; i++) {
        if (((const byte *)left)[i] != ((const byte *)right)[i]) return 0;
    }
    return 1;
}

static void load(size_t bytes, const void *from, void *to, int order) {
    byte found[bytes] __attribute__((aligned(16)));
    region_begin();
    __atomic_load_n(cell_of(from), order);
    __builtin_memcpy(found, from, bytes);
    region_end();
    __builtin_memcpy(to, found, bytes);
}

static void store(size_t bytes, void *to, const void *from, int order) {
    region_begin();
    __builtin_memcpy(to, from, bytes);
    __atomic_store_n(cell_of(to), 0, order);
    region_end();
}

static void exchange(size_t bytes, void *at, const void *value, void *old, int order) {
    byte found[bytes] __attribute__((aligned(16)));
    region_begin();
    __atomic_fetch_or(cell_of(at), 0, order);
    __builtin_memcpy(found, at, bytes);
    __builtin_memcpy(at, value, bytes);
    region_end();
    __builtin_memcpy(old, found, bytes);
}

static _Bool compare_exchange(size_t bytes, void *at, void *expected, const void *desired, int success, int failure) {
    byte found[bytes] __attribute__((aligned(16)));
    region_begin();
    __builtin_memcpy(found, at, bytes);
    int is_same = is_equal(found, expected, bytes) && !((failure & WEAK) && __heddle_choose(2));
    if (is_same) {
        __atomic_fetch_or(cell_of(at), 0, success);
        __builtin_memcpy(at, desired, bytes);
    } else {
        __atomic_load_n(cell_of(at), failure & ~WEAK);
    }
    region_end();
    if (!is_same) __builtin_memcpy(expected, found, bytes);
    return is_same;
}

/* The compiler knows functions with these names, so that they get them here only as symbols. */
#define NAMED(symbol) __asm__(symbol)

void generic_load(size_t bytes, const void *from, void *to, int order) NAMED("__atomic_load");
void generic_load(size_t bytes, const void *from, void *to, int order) { load(bytes, from, to, order); }

void generic_store(size_t bytes, void *to, const void *from, int order) NAMED("__atomic_store");
void generic_store(size_t bytes, void *to, const void *from, int order) { store(bytes, to, from, order); }

void generic_exchange(size_t bytes, void *at, const void *value, void *old, int order) NAMED("__atomic_exchange");
void generic_exchange(size_t bytes, void *at, const void *value, void *old, int order) {
    exchange(bytes, at, value, old, order);
}

_Bool generic_compare_exchange(size_t bytes, void *at, void *expected, const void *desired, int success, int failure)
    NAMED("__atomic_compare_exchange");
_Bool generic_compare_exchange(size_t bytes, void *at, void *expected, const void *desired, int success, int failure) {
    return compare_exchange(bytes, at, expected, desired, success, failure);
}

_Bool generic_is_lock_free(size_t bytes, const void *at) NAMED("__atomic_is_lock_free");
_Bool generic_is_lock_free(size_t bytes, const void *at) {
    (void)at;
    return bytes <= 8 && (bytes & (bytes - 1)) == 0;
}

/* The functions for one size: load, store, exchange, compare and exchange, and fetch with an operation. */
#define FETCH(type, size, op, expression)                                                                              \
    type fetch_##op##_##size(void *at, type value, int order) NAMED("__atomic_fetch_" #op "_" #size);                  \
    type fetch_##op##_##size(void *at, type value, int order) {                                                        \
        type old, new;                                                                                                 \
        region_begin();                                                                                                \
        __atomic_fetch_or(cell_of(at), 0, order);                                                                      \
        __builtin_memcpy(&old, at, size);                                                                              \
        new = (type)(expression);                                                                                      \
        __builtin_memcpy(at, &new, size);                                                                              \
        region_end();                                                                                                  \
        return old;                                                                                                    \
    }

#define SIZED(type, size)                                                                                              \
    type load_##size(const void *at, int order) NAMED("__atomic_load_" #size);                                         \
    type load_##size(const void *at, int order) {                                                                      \
        type value;                                                                                                    \
        load(size, at, &value, order);                                                                                 \
        return value;                                                                                                  \
    }                                                                                                                  \
    void store_##size(void *at, type value, int order) NAMED("__atomic_store_" #size);                                 \
    void store_##size(void *at, type value, int order) { store(size, at, &value, order); }                             \
    type exchange_##size(void *at, type value, int order) NAMED("__atomic_exchange_" #size);                           \
    type exchange_##size(void *at, type value, int order) {                                                            \
        type old;                                                                                                      \
        exchange(size, at, &value, &old, order);                                                                       \
        return old;                                                                                                    \
    }                                                                                                                  \
    _Bool compare_exchange_##size(void *at, void *expected, type desired, int success, int failure)                    \
        NAMED("__atomic_compare_exchange_" #size);                                                                     \
    _Bool compare_exchange_##size(void *at, void *expected, type desired, int success, int failure) {                  \
        return compare_exchange(size, at, expected, &desired, success, failure);                                       \
    }                                                                                                                  \
    FETCH(type, size, add, old + value)                                                                                \
    FETCH(type, size, sub, old - value)                                                                                \
    FETCH(type, size, and, old & value)                                                                                \
    FETCH(type, size, or, old | value)                                                                                 \
    FETCH(type, size, xor, old ^ value)                                                                                \
    FETCH(type, size, nand, ~(old & value))

SIZED(unsigned char, 1)
SIZED(unsigned short, 2)
SIZED(unsigned, 4)
SIZED(unsigned long long, 8)
#ifdef __SIZEOF_INT128__
SIZED(unsigned __int128, 16)
#endif
