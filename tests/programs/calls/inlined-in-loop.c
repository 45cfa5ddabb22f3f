// A function that is always inlined, called in a loop with an argument.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>

static inline __attribute__((always_inline)) int id(int x) { return x; }

int main(void) {
    int s = 0;
    for (int i = 0; i < 3; i++)
        s += id(1);
    assert(s == 3);
    return 0;
}
