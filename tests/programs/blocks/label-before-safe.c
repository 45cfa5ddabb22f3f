// A jump to a label right in front of a block enters the block again.
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>

int main(void) {
    int n = 0;
again: {
    int x = 3;
    int *p = &x;
    *p += n;
    assert(x == 3 + n);
    if (n++ < 2)
        goto again;
}
    return 0;
}
