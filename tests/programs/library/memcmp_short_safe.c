// memcmp of what there is.
// property: memory   truth: safe
// explore: safe   staged: safe
// property: unreach   truth: safe
// explore: safe   priori: safe   staged: safe
#include <assert.h>
#include <string.h>

int main(void) {
    char left[4] = "abc", right[8] = "xbc";
    assert(memcmp(left, right, 4) < 0 && memcmp(right, left, 4) > 0);
    assert(memcmp(left, right, 0) == 0 && memcmp(left + 1, right + 1, 3) == 0);
    assert(memcmp("\x01", "\xff", 1) < 0);
    return 0;
}
