// __builtin_unreachable in a branch of its own: what comes of reaching it is undefined.
// property: unreach   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>

static int known(int x) {
    if (x == 3)
        __builtin_unreachable();
    return x;
}

int main(void) {
    assert(known(3) != 5);
    return 0;
}
