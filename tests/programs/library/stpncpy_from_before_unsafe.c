// Copying to what lies before it in the same text is undefined (C11 7.24.2.4p2), also if only the last byte overlaps.
// property: memory   truth: unsafe
// explore: unsafe   staged: unsafe
#define _GNU_SOURCE
#include <string.h>

int main(void) {
    char text[8] = "abcde";
    stpncpy(text, text + 2, 3);
    return 0;
}
