// Functions that programs written for verifiers expect.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
extern void __VERIFIER_assert(int condition);
extern void __VERIFIER_assume(int condition);
extern void __VERIFIER_nondet_memory(void *memory, __SIZE_TYPE__ bytes);
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned char bytes[1], other = __VERIFIER_nondet_uchar();
    __VERIFIER_nondet_memory(bytes, sizeof bytes);
    __VERIFIER_assume(bytes[0] < other);
    __VERIFIER_assert(other > 0);
    _Bool choice = __VERIFIER_nondet_bool();
    __VERIFIER_assert(choice == 0 || choice == 1);
    return 0;
}
