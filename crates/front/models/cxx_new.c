/* Models operator new and delete of C++, in the Itanium ABI's names. Allocation succeeds, unless the size is more
 * than half of the address space. That a block is deleted as it was made is looked at in crates/front/src/families.rs.
 */
#include "heddle.h"

#pragma clang diagnostic ignored "-Wunused-parameter"

enum { ALIGN = 2 * sizeof(void *) };

ALWAYS int is_too_large(size_t bytes) { return (ssize_t)bytes < 0; }

#define NEW(name, ...)                                                                                                 \
    void *name(size_t bytes, ##__VA_ARGS__) {                                                                          \
        if (is_too_large(bytes)) __heddle_unmodelled("exception std::bad_alloc");                                      \
        return __heddle_alloc(bytes, ALIGN, 0);                                                                        \
    }

#define NEW_OR_NULL(name)                                                                                              \
    void *name(size_t bytes, const void *tag) { return is_too_large(bytes) ? NULL : __heddle_alloc(bytes, ALIGN, 0); }

#define NEW_ALIGNED(name)                                                                                              \
    void *name(size_t bytes, size_t align) {                                                                           \
        if (is_too_large(bytes)) __heddle_unmodelled("exception std::bad_alloc");                                      \
        if (align <= 64) return __heddle_alloc(bytes, 64, 0);                                                          \
        if (align <= 4096) return __heddle_alloc(bytes, 4096, 0);                                                      \
        __heddle_unmodelled("alignment of more than 4096 bytes");                                                      \
    }

#define DELETE(name, ...)                                                                                              \
    void name(void *block, ##__VA_ARGS__) { __heddle_free(block); }

/* `m` is a size_t of 64 bits, `j` of 32. */
NEW(_Znwm)
NEW(_Znam)
NEW(_Znwj)
NEW(_Znaj)
NEW_OR_NULL(_ZnwmRKSt9nothrow_t)
NEW_OR_NULL(_ZnamRKSt9nothrow_t)
NEW_OR_NULL(_ZnwjRKSt9nothrow_t)
NEW_OR_NULL(_ZnajRKSt9nothrow_t)
NEW_ALIGNED(_ZnwmSt11align_val_t)
NEW_ALIGNED(_ZnamSt11align_val_t)
NEW_ALIGNED(_ZnwjSt11align_val_t)
NEW_ALIGNED(_ZnajSt11align_val_t)
DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE(_ZdlPvm, size_t bytes)
DELETE(_ZdaPvm, size_t bytes)
DELETE(_ZdlPvj, size_t bytes)
DELETE(_ZdaPvj, size_t bytes)
DELETE(_ZdlPvRKSt9nothrow_t, const void *tag)
DELETE(_ZdaPvRKSt9nothrow_t, const void *tag)
DELETE(_ZdlPvSt11align_val_t, size_t align)
DELETE(_ZdaPvSt11align_val_t, size_t align)
DELETE(_ZdlPvmSt11align_val_t, size_t bytes, size_t align)
DELETE(_ZdaPvmSt11align_val_t, size_t bytes, size_t align)
DELETE(_ZdlPvjSt11align_val_t, size_t bytes, size_t align)
DELETE(_ZdaPvjSt11align_val_t, size_t bytes, size_t align)

/* Where the program replaces some of these, the others call what [new.delete] says: operators for arrays those for single objects,
 * those that are given a tag or a size the ones without. */
#define CALL_NEW(name, other, size, tag)                                                                               \
    void *name##__replaced(size_t bytes tag) { return other(bytes size); }

#define CALL_DELETE(name, other, ...)                                                                                  \
    void name##__replaced(void *block, ##__VA_ARGS__) { other(block); }

#define CALL_ALIGNED_DELETE(name, other, ...)                                                                          \
    void name##__replaced(void *block, ##__VA_ARGS__, size_t align) { other(block, align); }

#define NONE
#define TAG , const void *tag
#define ALIGNED , size_t align
#define ALIGN_TOO , align

CALL_NEW(_Znam, _Znwm, NONE, NONE)
CALL_NEW(_ZnwmRKSt9nothrow_t, _Znwm, NONE, TAG)
CALL_NEW(_ZnamRKSt9nothrow_t, _Znam, NONE, TAG)
CALL_NEW(_ZnamSt11align_val_t, _ZnwmSt11align_val_t, ALIGN_TOO, ALIGNED)
CALL_DELETE(_ZdlPvm, _ZdlPv, size_t bytes)
CALL_DELETE(_ZdaPvm, _ZdaPv, size_t bytes)
CALL_ALIGNED_DELETE(_ZdlPvmSt11align_val_t, _ZdlPvSt11align_val_t, size_t bytes)
CALL_ALIGNED_DELETE(_ZdaPvmSt11align_val_t, _ZdaPvSt11align_val_t, size_t bytes)
CALL_NEW(_Znaj, _Znwj, NONE, NONE)
CALL_NEW(_ZnwjRKSt9nothrow_t, _Znwj, NONE, TAG)
CALL_NEW(_ZnajRKSt9nothrow_t, _Znaj, NONE, TAG)
CALL_NEW(_ZnajSt11align_val_t, _ZnwjSt11align_val_t, ALIGN_TOO, ALIGNED)
CALL_DELETE(_ZdlPvj, _ZdlPv, size_t bytes)
CALL_DELETE(_ZdaPvj, _ZdaPv, size_t bytes)
CALL_ALIGNED_DELETE(_ZdlPvjSt11align_val_t, _ZdlPvSt11align_val_t, size_t bytes)
CALL_ALIGNED_DELETE(_ZdaPvjSt11align_val_t, _ZdaPvSt11align_val_t, size_t bytes)
CALL_DELETE(_ZdaPv, _ZdlPv)
CALL_DELETE(_ZdlPvRKSt9nothrow_t, _ZdlPv, const void *tag)
CALL_DELETE(_ZdaPvRKSt9nothrow_t, _ZdaPv, const void *tag)
CALL_ALIGNED_DELETE(_ZdaPvSt11align_val_t, _ZdlPvSt11align_val_t)

const char _ZSt7nothrow = 0;
