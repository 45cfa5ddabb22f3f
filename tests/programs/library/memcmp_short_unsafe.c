// memcmp of more than there is, although the first bytes differ.
// property: memory   truth: unsafe
// explore: unsafe   staged: unsafe
#include <string.h>

int main(void) {
    char left[4] = "abc", right[8] = "xbc";
    return memcmp(left, right, 8);
}
