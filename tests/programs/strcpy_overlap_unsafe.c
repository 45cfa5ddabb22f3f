// strcpy must not copy between ranges that overlap (C11 7.24.2.3p2).
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// property: unreach   truth: unsafe
// explore: unknown (undefined)   impact: unknown (undefined)   priori: unknown (undefined)   staged: unknown (undefined)
#include <assert.h>
#include <string.h>

int main(void) {
    char text[8] = "abc";
    strcpy(text, text + 1);
    assert(text[0] == 'b');
}
