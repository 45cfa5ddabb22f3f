// property: memory   truth: unsafe
// explore: unsafe   staged: unsafe
#include <string.h>

int main(void) {
    char text[8] = "abcdefg";
    memcpy(text + 1, text, 4);
    return 0;
}
