// The classes of floating-point numbers, at both ends of each.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <stdint.h>
#include <string.h>

enum { SIGNALING = 1, QUIET = 2, NEG_INF = 4, NEG_NORMAL = 8, NEG_SUB = 16, NEG_ZERO = 32, ZERO = 64, SUB = 128, NORMAL = 256, INF = 512 };

static float single(volatile uint32_t bits) {
    uint32_t copy = bits;
    float result;
    memcpy(&result, &copy, sizeof result);
    return result;
}

static double twice(volatile uint64_t bits) {
    uint64_t copy = bits;
    double result;
    memcpy(&result, &copy, sizeof result);
    return result;
}

#define ONLY(x, class) (__builtin_isfpclass(x, class) && !__builtin_isfpclass(x, 1023 ^ class))

int main(void) {
    assert(ONLY(single(0x00000000), ZERO));
    assert(ONLY(single(0x80000000), NEG_ZERO));
    assert(ONLY(single(0x00000001), SUB));
    assert(ONLY(single(0x807fffff), NEG_SUB));
    assert(ONLY(single(0x007fffff), SUB));
    assert(ONLY(single(0x00800000), NORMAL));
    assert(ONLY(single(0xff7fffff), NEG_NORMAL));
    assert(ONLY(single(0x7f7fffff), NORMAL));
    assert(ONLY(single(0x7f800000), INF));
    assert(ONLY(single(0xff800000), NEG_INF));
    assert(ONLY(single(0x7f800001), SIGNALING));
    assert(ONLY(single(0xffbfffff), SIGNALING));
    assert(ONLY(single(0x7fc00000), QUIET));
    assert(ONLY(single(0xffffffff), QUIET));
    assert(ONLY(twice(0x000fffffffffffff), SUB));
    assert(ONLY(twice(0x0010000000000000), NORMAL));
    assert(ONLY(twice(0x8000000000000000), NEG_ZERO));
    assert(ONLY(twice(0xfff0000000000000), NEG_INF));
    assert(ONLY(twice(0x7ff7ffffffffffff), SIGNALING));
    assert(ONLY(twice(0x7ff8000000000000), QUIET));
    assert(ONLY(twice(0x7fffffffffffffff), QUIET));
    return 0;
}
