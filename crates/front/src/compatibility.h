/* Put before C files that clang refuses: makes the expansions of gcc's headers acceptable. */

/* __attribute__((__malloc__(free, 1))) names the function that frees; clang knows the attribute without it only. */
#define __malloc__(...)

/* Types that gcc has and clang has not. */
#define _Float32 float
#define _Float32x double
#define _Float64 double
#define _Float64x long double
#define __float128 long double
#define _Float128 long double

/* gcc's <stdatomic.h> uses these on atomic types, clang's builtins take plain ones: the comma drops the qualifier. */
#define HEDDLE_PLAIN(pointer) ((__typeof__(((void)0, *(pointer))) *)(pointer))
#define __atomic_load(p, r, o) __atomic_load(HEDDLE_PLAIN(p), r, o)
#define __atomic_load_n(p, o) __atomic_load_n(HEDDLE_PLAIN(p), o)
#define __atomic_store(p, v, o) __atomic_store(HEDDLE_PLAIN(p), v, o)
#define __atomic_store_n(p, v, o) __atomic_store_n(HEDDLE_PLAIN(p), v, o)
#define __atomic_exchange(p, v, r, o) __atomic_exchange(HEDDLE_PLAIN(p), v, r, o)
#define __atomic_exchange_n(p, v, o) __atomic_exchange_n(HEDDLE_PLAIN(p), v, o)
/* The bit is that of `WEAK_GNU` (flags.rs). */
#define __atomic_compare_exchange(p, e, d, w, s, f) \
    __atomic_compare_exchange(HEDDLE_PLAIN(p), HEDDLE_PLAIN(e), d, w, s, \
        (f) | ((sizeof(*(p)) > 2 * sizeof(void *) || sizeof(*(p)) & (sizeof(*(p)) - 1)) && (w) ? 65536 : 0))
#define __atomic_compare_exchange_n(p, e, d, w, s, f) \
    __atomic_compare_exchange_n(HEDDLE_PLAIN(p), HEDDLE_PLAIN(e), d, w, s, f)
#define __atomic_fetch_add(p, v, o) __atomic_fetch_add(HEDDLE_PLAIN(p), v, o)
#define __atomic_fetch_sub(p, v, o) __atomic_fetch_sub(HEDDLE_PLAIN(p), v, o)
#define __atomic_fetch_and(p, v, o) __atomic_fetch_and(HEDDLE_PLAIN(p), v, o)
#define __atomic_fetch_or(p, v, o) __atomic_fetch_or(HEDDLE_PLAIN(p), v, o)
#define __atomic_fetch_xor(p, v, o) __atomic_fetch_xor(HEDDLE_PLAIN(p), v, o)
