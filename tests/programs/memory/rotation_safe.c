// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
//
// A rotation by 0, or by the width, leaves a value as it is: no shift by the width takes place.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

unsigned places[32];

int main(void) {
    unsigned value = __VERIFIER_nondet_uint() & 31, count = __VERIFIER_nondet_uint() & 1;
    unsigned left = __builtin_rotateleft32(value, count * 32), right = __builtin_rotateright32(value, 0);
    assert(left == value && right == value);
    places[__builtin_rotateleft32(value, 32 * count)] = 1;
    places[right] = 2;
    return 0;
}
