// The same inside the block, as macros that depend on the size of their argument do it.
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>

int x;

static void put(void *at, long value) {
    switch (sizeof x) {
    case 1: *(char *)at = value; break;
    case 4: {
        int copy = value, *from = &copy;
        *(int *)at = *from;
        break;
    }
    case 8: *(long *)at = value; break;
    }
}

int main(void) {
    put(&x, 7);
    assert(x == 7);
}
