// The argument for the text is a number.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <stdio.h>

int main(void) {
    printf("%s", 3);
    return 0;
}
