// Whether realloc gives a block of no bytes is the implementation's to decide.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   truth: safe   libc: glibc
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(4);
    if (p == NULL)
        return 0;
    p = realloc(p, 0);
    assert(p == NULL);
    return 0;
}
