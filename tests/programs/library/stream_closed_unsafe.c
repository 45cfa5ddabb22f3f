// A stream is used after fclose.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <stdio.h>

int main(void) {
    FILE *file = fopen("data", "w");
    if (!file) return 1;
    fclose(file);
    fprintf(file, "late\n");
    return 0;
}
