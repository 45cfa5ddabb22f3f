/* Models libatomic: what the compiler calls for atomic accesses that are too large, or not aligned enough, for the
 * machine. Each is one atomic region that copies bytes. It stands between full fences, as the lock that libatomic takes
 * would order it, so that no access is torn under a weak memory model. What an order passes on goes through a cell in
 * the ghost record of the object.
 */
#include "heddle.h"

typedef unsigned char byte;

ALWAYS void region_begin(void) {
    __heddle_atomic_begin();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

ALWAYS void region_end(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __heddle_atomic_end();
}

/* Copies from shared memory. */
static void read_shared(void *to, const void *from, size_t bytes, int order) {
    if (order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE)
        __atomic_fetch_or((int *)__heddle_ghost(from), 0, __ATOMIC_ACQUIRE);
    __builtin_memcpy(to, from, bytes);
}

/* Copies to shared memory. */
static void write_shared(void *to, const void *from, size_t bytes, int order) {
    __builtin_memcpy(to, from, bytes);
    if (order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST)
        __atomic_fetch_or((int *)__heddle_ghost(to), 0, __ATOMIC_RELEASE);
}

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
    region_begin();
    read_shared(to, from, bytes, order);
    region_end();
}

static void store(size_t bytes, void *to, const void *from, int order) {
    region_begin();
    write_shared(to, from, bytes, order);
    region_end();
}

static void exchange(size_t bytes, void *at, const void *value, void *old, int order) {
    region_begin();
    read_shared(old, at, bytes, order);
    write_shared(at, value, bytes, order);
    region_end();
}

static _Bool compare_exchange(size_t bytes, void *at, void *expected, const void *desired, int success, int failure) {
    unsigned long found[8];
    if (bytes > sizeof found) __heddle_unmodelled("atomic compare and exchange of a large object");
    region_begin();
    read_shared(found, at, bytes, success == __ATOMIC_RELAXED ? failure : success);
    int is_same = is_equal(found, expected, bytes);
    if (is_same) {
        write_shared(at, desired, bytes, success);
    } else {
        __builtin_memcpy(expected, found, bytes);
    }
    region_end();
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
        read_shared(&old, at, size, order);                                                                            \
        new = (type)(expression);                                                                                      \
        write_shared(at, &new, size, order);                                                                           \
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
