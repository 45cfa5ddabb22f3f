// Blocks change their sizes with glibc's promises, too.
// property: unreach   truth: safe   libc: glibc
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *block = realloc(NULL, 2);
    block[1] = 7;
    block = realloc(block, 4);
    assert(block[1] == 7 && realloc(block, 0) == NULL);
    return 0;
}
