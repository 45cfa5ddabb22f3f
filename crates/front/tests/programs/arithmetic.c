// Integer arithmetic of all widths, conversions, overflow builtins, bit operations, floating point.
// property: unreach   truth: safe
#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

static int nan_test(double d) { return d != d; }

int main(void) {
    volatile int seven = 7, minus = -7, zero = 0;
    volatile unsigned big = 0xfffffff0u;
    volatile double half = 0.5, third = 1.0 / 3;
    volatile float single = 0.1f;
    assert(minus / 2 == -3 && minus % 2 == -1 && seven / 2 == 3 && (unsigned)minus / 2 == 0x7ffffffcu);
    assert(minus >> 1 == -4 && (unsigned)minus >> 28 == 15 && seven << 3 == 56 && (minus ^ seven) == -2);
    assert(big + 0x20u == 0x10u && big * 3u == 0xffffffd0u && -big == 16u && ~big == 15u);
    assert((char)300 == 44 && (signed char)200 == -56 && (short)70000 == 4464 && (unsigned char)-1 == 255);
    assert((long long)minus == -7ll && (unsigned long long)big == 0xfffffff0ull && (uint64_t)minus == UINT64_MAX - 6);
    int64_t wide = (int64_t)seven << 40;
    assert(wide / 7 == 1ll << 40 && wide % 1000 == 432 && (int)(wide >> 38) == 28);
    assert(minus < zero && (unsigned)minus > (unsigned)seven && -1 < 0 && !(-1 < 0u));
    int r; unsigned u; long long ll;
    assert(__builtin_add_overflow(INT_MAX, seven, &r) && r == INT_MIN + 6 && !__builtin_add_overflow(seven, seven, &r));
    assert(__builtin_sub_overflow(INT_MIN, seven, &r) && __builtin_mul_overflow(INT_MAX, seven, &r));
    assert(__builtin_sub_overflow(3u, (unsigned)seven, &u) && !__builtin_mul_overflow(3u, 4u, &u) && u == 12);
    assert(__builtin_mul_overflow(LLONG_MAX, (long long)seven, &ll) && !__builtin_mul_overflow(-3ll, (long long)seven, &ll) && ll == -21);
    assert(__builtin_popcount(0xf0f0u) == 8 && __builtin_clz(1u) == 31 && __builtin_ctz(8u) == 3 && __builtin_ffs(0) == 0);
    assert(__builtin_bswap32(0x01020304u) == 0x04030201u && __builtin_popcountll(~0ull) == 64 && __builtin_parity(7) == 1);
    assert(abs(minus) == 7 && labs(-5l) == 5 && __builtin_rotateleft32(0x80000001u, 1) == 3u);
    _Bool flag = seven;
    assert(flag == 1 && !flag == 0 && (_Bool)half == 1 && (flag & 1) && sizeof(flag) == 1);
#ifdef __SIZEOF_INT128__
    __int128 huge = (__int128)INT64_MAX * INT64_MAX;
    assert((int64_t)(huge >> 64) == INT64_MAX / 2 - 0 || (uint64_t)(huge >> 64) == 0x3fffffffffffffffull);
    assert((uint64_t)huge == 1 && huge / INT64_MAX == INT64_MAX && (huge % 1000) == (int)(huge - huge / 1000 * 1000));
    unsigned __int128 all = ~(unsigned __int128)0;
    assert((uint64_t)(all >> 100) == 0xfffffff && all + 1 == 0);
#endif
    assert(half + half == 1.0 && half * 4 == 2 && half / 2 == 0.25 && half - 1 == -half);
    assert((int)(half * 7) == 3 && (int)-3.9 == -3 && (unsigned)3.7f == 3 && (double)minus == -7.0 && (float)big == 4294967280.0f);
    assert(single != 0.1 && (float)0.1 == single && (double)single > 0.1 && half < 1 && half >= 0.5 && !(half > third * 2));
    double inf = 1e308 * 10, nan = inf - inf;
    assert(inf > 1e308 && nan_test(nan) && !nan_test(inf) && !(nan < 1) && !(nan >= 1) && nan != nan);
    assert(__builtin_fabs(-2.5) == 2.5 && __builtin_isnan(nan) && __builtin_isinf(inf) && !__builtin_isinf(third));
    assert(__builtin_floor(-1.5) == -2 && __builtin_ceil(1.2) == 2 && __builtin_trunc(-1.7) == -1 && __builtin_sqrt(16.0) == 4);
    long double carried = 1.5L;
    (void)carried;
    enum colour { RED, GREEN = 5, BLUE } c = BLUE;
    assert(c == 6 && sizeof(c) == 4);
    unsigned long long hash = 14695981039346656037ull;
    for (const char *p = "heddle"; *p; p++) hash = (hash ^ (unsigned char)*p) * 1099511628211ull;
    assert(hash == 0x1994c58b51b33031ull);
    return 0;
}
