// Texts that touch do not overlap.
// property: memory   truth: safe
// explore: safe   staged: safe
// property: unreach   truth: safe
// explore: safe   priori: safe   staged: safe
#define _GNU_SOURCE
#include <assert.h>
#include <string.h>

int main(void) {
    char text[8] = "abc";
    assert(stpncpy(text + 3, text, 3) == text + 6);
    assert(text[5] == 'c');
    return 0;
}
