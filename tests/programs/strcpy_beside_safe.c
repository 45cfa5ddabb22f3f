// Ranges side by side do not overlap.
// property: memory   truth: safe
// explore: safe   staged: safe
// property: unreach   truth: safe
// explore: safe   priori: safe   staged: safe
#include <assert.h>
#include <string.h>

int main(void) {
    char text[8] = "abc";
    strcpy(text + 4, text);
    strncpy(text, text + 5, 3);
    strcat(text, text + 6);
    assert(text[0] == 'b' && text[1] == 'c' && text[2] == 'c');
}
