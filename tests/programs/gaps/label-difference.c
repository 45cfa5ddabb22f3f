// The distance of two labels is a number that only the compiler knows: no input.
// property: unreach    truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>

int run(int i) {
    static const int offsets[] = {&&zero - &&zero, &&one - &&zero};
    goto *(&&zero + offsets[i]);
zero:
    return 0;
one:
    return 1;
}

int main(void) {
    assert(run(0) == 0 && run(1) == 1);
    return 0;
}
