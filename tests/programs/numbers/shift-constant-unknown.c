// Shifts by a constant that is too large are undefined, as those by a variable are.
// property: unreach   truth: unsafe
// explore: unknown (undefined)   impact: unknown (undefined)   priori: unknown (undefined)   staged: unknown (undefined)
#include <assert.h>

int main(void) {
    int l = 1;
    l <<= 40;
    assert(l == 0);
    return 0;
}
