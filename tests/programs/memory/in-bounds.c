// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
//
// Every access hits its array.
#include <stdlib.h>

int main(void)
{
    int *p = malloc(4 * sizeof *p);
    for (int i = 0; i < 4; i++)
        p[i] = i;
    int last = p[3];
    free(p);
    return last - 3;
    return 0;
}
