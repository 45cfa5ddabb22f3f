// Copying to what lies before it in the same text is undefined, also if only the last byte overlaps.
// property: memory   truth: unsafe
// explore: unsafe   staged: unsafe
#include <stddef.h>

size_t strlcpy(char *to, const char *from, size_t size);

int main(void) {
    char text[8] = "abcde";
    strlcpy(text, text + 2, 4);
    return 0;
}
