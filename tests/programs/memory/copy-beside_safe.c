// property: memory   truth: safe
// explore: safe   staged: safe
// property: unreach   truth: safe
// explore: safe   priori: safe   staged: safe
// Ranges side by side, the same range (an assignment of a structure to itself), and memmove.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int a, b, c, d, e, f;
};

static void assign(struct pair *to, struct pair *from) { *to = *from; }

int main(void) {
    char text[8] = "abcdefg";
    memcpy(text, text + 4, 4);
    memmove(text + 1, text, 4);
    assert(text[0] == 'e' && text[1] == 'e' && text[2] == 'f');
    struct pair pairs[2] = {{1, 2, 3, 4, 5, 6}};
    assign(&pairs[1], &pairs[0]);
    assign(&pairs[0], &pairs[0]);
    assert(pairs[0].b == 2 && pairs[1].f == 6);
    return 0;
}
