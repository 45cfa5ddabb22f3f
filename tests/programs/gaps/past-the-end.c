// Whether a pointer past the end of one object is equal to the address of another depends on where they lie: it may be.
// property: unreach   truth: unsafe
// explore: unknown (addresses)   impact: unknown (addresses)   priori: unknown (imprecise)   staged: unknown (addresses)
#include <assert.h>

int one, other;

int main(void) {
    int *end = &one + 1;
    int *start = &other;
    assert(end != start);
    return 0;
}
