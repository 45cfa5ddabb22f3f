// strncpy does not close what it cuts off.
// property: unreach    truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: memory     truth: safe
// explore: safe   staged: safe
#include <assert.h>
#include <string.h>

int main(void) {
    char text[8] = "zzzzzzz";
    strncpy(text, "abcdef", 3);
    assert(strlen(text) == 3);
    return 0;
}
