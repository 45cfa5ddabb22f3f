// Only the sign of a comparison is promised.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <string.h>

int main(void) {
    char left[4] = "abc", right[4] = "xbc";
    assert(strcmp(left, right) == -1);
    return 0;
}
