// Classes of characters have the bits of glibc.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <ctype.h>
#undef isalpha
#undef isdigit

int main(void) {
    assert(isalpha('a') && !isalpha('1') && isdigit('1') && !isdigit('a') && (ispunct)('!') && !(ispunct)('a'));
    return 0;
}
