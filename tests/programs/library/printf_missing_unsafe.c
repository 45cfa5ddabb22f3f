// There is no argument for the second text.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <stdio.h>

int main(void) {
    printf("%s %s", "a");
    return 0;
}
