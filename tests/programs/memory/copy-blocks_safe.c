// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
// Blocks that one malloc made are different objects.
#include <stdlib.h>
#include <string.h>

static char *block(void) {
    char *made = malloc(8);
    memset(made, 1, 8);
    return made;
}

int main(void) {
    char *one = block(), *two = block();
    memcpy(one, two, 8);
    free(one);
    free(two);
    return 0;
}
