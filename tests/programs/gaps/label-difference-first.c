// What points to something that is not known is not known either, of each of two such things. Only the first is read.
// property: unreach    truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>

int run(int i) {
    static const int one[] = {&&zero - &&zero}, two[] = {&&zero - &&zero};
    static const int *volatile first = one, *volatile second = two;
    if (i == 0) return *first;
    if (i == 1) return *second;
    goto *&&zero;
zero:
    return 0;
}

int main(void) {
    assert(run(0) == 0);
    return 0;
}
