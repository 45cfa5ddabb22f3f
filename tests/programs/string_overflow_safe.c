// The same text, cut to what fits.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <string.h>

int main(void) {
    char small[4];
    strncpy(small, "four", sizeof small);
    small[3] = 0;
    assert(strlen(small) == 3);
    return 0;
}
