// The digits of a width go up to 9.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char word[10];
    assert(sscanf("abcdefghijk", "%9s", word) == 1);
    assert(strcmp(word, "abcdefghi") == 0);
    return 0;
}
