/* Models the functions that programs written for verifiers expect and that are not native.
 *
 * __VERIFIER_nondet_memory makes bytes arbitrary, a word at a time where it can. `assume`, where the
 * program does not define it, cuts off the run; nondet_int is that of PRIORI's programs.
 */
#include "heddle.h"

void __VERIFIER_nondet_memory(void *memory, size_t bytes) {
    char *to = memory;
    size_t i = 0;
    for (; i + sizeof(unsigned) <= bytes; i += sizeof(unsigned)) *(unsigned *)(to + i) = __VERIFIER_nondet_uint();
    for (; i < bytes; i++) to[i] = (char)__VERIFIER_nondet_uchar();
}

void assume(int condition) { __heddle_assume(condition != 0); }

/* assume(bool) */
void _Z6assumeb(_Bool condition) { __heddle_assume(condition); }

/* assume(int) */
void _Z6assumei(int condition) { __heddle_assume(condition != 0); }

ALWAYS int some_number(int least, int most) {
    unsigned count = (unsigned)most - (unsigned)least + 1;
    if (least > most) __heddle_assume(0);
    return count == 0 ? (int)__VERIFIER_nondet_uint() : (int)((unsigned)least + __heddle_choose(count));
}

/* nondet_int(int &, int, int): both bounds are included. */
void _Z10nondet_intRiii(int *result, int least, int most) { *result = some_number(least, most); }

/* nondet_int(std::atomic<int> &, int, int) */
void _Z10nondet_intRSt6atomicIiEii(int *result, int least, int most) {
    __atomic_store_n(result, some_number(least, most), __ATOMIC_RELEASE);
}
