// Numbers that fit, to the last.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    assert(atoi("2147483647") == 2147483647 && atoi("-2147483648") == -2147483647 - 1);
    assert(atoll("-9223372036854775808") < 0 && atol(" 12x") == 12);
    assert(toupper('a') == 'A' && toupper(EOF) == EOF);
}
