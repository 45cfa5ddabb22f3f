// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// Memory is read after it was freed.
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    free(p);
    return *p;
    return 0;
}
