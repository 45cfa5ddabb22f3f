// Texts to numbers, and classes of characters.
// property: unreach    truth: safe
// explore: safe   impact: unknown (time)   priori: safe   staged: safe
// property: memory     truth: safe
// explore: safe   impact: unknown (time)   staged: safe
// property: unreach    truth: safe   data-model: ilp32
// explore: safe   impact: unknown (time)   priori: safe   staged: safe
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *end;
    int first, second;
    assert(atoi(" -12x") == -12 && atol("+7") == 7 && atoll("0") == 0);
    assert(strtol("0x1fz", &end, 0) == 31 && *end == 'z');
    assert(strtol("777", 0, 8) == 511 && strtoul("zz", 0, 36) == 35 * 36 + 35);
    assert(strtol("99999999999999999999", &end, 10) == LONG_MAX && errno == ERANGE && *end == 0);
    assert(sscanf("17, 4", "%d,%d", &first, &second) == 2 && first == 17 && second == 4);
    assert(sscanf("x", "%d", &first) == 0 && sscanf("", "%d", &first) == EOF);
    assert(isdigit('7') && !isdigit('a') && isspace('\n') && isalpha('Q') && !isalnum('_') && ispunct('_'));
    assert(toupper('q') == 'Q' && tolower('[') == '[');
    assert(abs(-3) == 3 && labs(4) == 4);
    assert(first == 17);
    return 0;
}
