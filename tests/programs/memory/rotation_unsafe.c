// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A rotation by 1 leads out of the array.
extern unsigned __VERIFIER_nondet_uint(void);

int places[32];

int main(void) {
    unsigned value = __VERIFIER_nondet_uint() & 31, count = __VERIFIER_nondet_uint() & 1;
    places[__builtin_rotateleft32(value, count)] = 1;
    return 0;
}
