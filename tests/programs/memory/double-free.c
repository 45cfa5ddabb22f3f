// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// Memory is freed twice.
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    free(p);
    free(p);
    return 0;
}
