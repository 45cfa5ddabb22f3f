// Copying to what lies further on in the same text is undefined (C11 7.24.2.4p2), also if only the last byte overlaps.
// property: memory   truth: unsafe
// explore: unsafe   staged: unsafe
#define _GNU_SOURCE
#include <string.h>

int main(void) {
    char text[8] = "abc";
    stpncpy(text + 2, text, 3);
    return 0;
}
