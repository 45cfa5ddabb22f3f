// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// Equal seeds give equal numbers (POSIX rand_r), here glibc's.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    unsigned one = 7, two = 7;
    assert(rand_r(&one) == 1187592820);
    assert(rand_r(&two) == 1187592820 && one == two);
    assert(rand_r(&one) == 153898277);
    return 0;
}
