// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A copy of more bytes than there is room for.
#include <string.h>

char from[16], to[8];

int main(void) {
    memcpy(to, from, sizeof from);
    return to[0];
}
