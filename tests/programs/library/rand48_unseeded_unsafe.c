// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   truth: safe   libc: glibc
// explore: safe   impact: safe   priori: safe   staged: safe
// Where drand48 starts without a seed, POSIX leaves open.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    assert(lrand48() == 0);
    return 0;
}
