// That a character is in a class need not be 1.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <ctype.h>
#undef isalpha

int main(void) {
    assert(isalpha('a') == 1);
    return 0;
}
