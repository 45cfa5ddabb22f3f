// Writing behind a block that realloc made smaller.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <stdlib.h>

int main(void) {
    int *block = malloc(4 * sizeof(int));
    block = realloc(block, 2 * sizeof(int));
    block[2] = 1;
    free(block);
    return 0;
}
