// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A pointer into the middle is freed.
#include <stdlib.h>

int main(void)
{
    char *p = malloc(8);
    free(p + 1);
    return 0;
}
