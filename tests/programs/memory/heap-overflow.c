// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// One element too far.
#include <stdlib.h>

int main(void)
{
    int *p = malloc(4 * sizeof *p);
    for (int i = 0; i <= 4; i++)
        p[i] = i;
    free(p);
    return 0;
}
