// Nor must strncat: the text and where it is put are one.
// property: memory   truth: unsafe
// explore: unsafe   staged: unsafe
#include <string.h>

int main(void) {
    char text[16] = "abc";
    strncat(text, text + 1, 5);
    return text[0];
}
