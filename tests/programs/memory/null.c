// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A null pointer is followed.
#include <stdlib.h>

int main(void)
{
    int *p = 0;
    *p = 1;
    return 0;
}
