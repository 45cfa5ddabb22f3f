// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// What was not allocated is freed.
#include <stdlib.h>

int main(void)
{
    int x = 0;
    int *p = &x;
    free(p);
    return 0;
}
