// Copying to what lies further on in the same text is undefined, also if only the last byte overlaps.
// property: memory   truth: unsafe
// explore: unsafe   staged: unsafe
#include <stddef.h>

size_t strlcpy(char *to, const char *from, size_t size);

int main(void) {
    char text[8] = "abc";
    strlcpy(text + 2, text, 4);
    return 0;
}
