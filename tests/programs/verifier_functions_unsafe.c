// A byte made arbitrary can have any value.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
extern void __VERIFIER_assert(int condition);
extern void __VERIFIER_nondet_memory(void *memory, __SIZE_TYPE__ bytes);

int main(void) {
    unsigned char bytes[1];
    __VERIFIER_nondet_memory(bytes, sizeof bytes);
    __VERIFIER_assert(bytes[0] != 200);
    return 0;
}
