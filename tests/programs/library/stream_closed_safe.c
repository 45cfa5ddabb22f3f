// A stream is used before fclose.
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <errno.h>
#include <stdio.h>

int main(void) {
    FILE *file = fopen("data", "w");
    if (!file) {
        assert(errno != 0);
        return 1;
    }
    fprintf(file, "in time %d\n", 1);
    fputs("x", file);
    fclose(file);
    return 0;
}
