// The same where clang inlines.
// property: unreach    truth: safe   args: -O1
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>

static inline __attribute__((always_inline)) int id(volatile int x) { return x; }

int main(void) {
    int s = 0;
    for (int i = 0; i < 3; i++)
        s += id(1);
    assert(s == 3);
    return 0;
}
