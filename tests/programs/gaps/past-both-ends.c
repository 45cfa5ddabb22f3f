// Pointers past the ends of different objects that do not overlap are never equal, but to see that, one has to know where
// objects may lie.
// property: unreach   truth: safe
// explore: unknown (addresses)   impact: unknown (addresses)   priori: unknown (imprecise)   staged: unknown (addresses)
#include <assert.h>

int one, other;

int main(void) {
    int *end = &one + 1;
    int *other_end = &other + 1;
    assert(end != other_end);
    return 0;
}
