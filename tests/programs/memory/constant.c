// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A string constant is written to.
#include <stdlib.h>

int main(void)
{
    char *p = "abc";
    p[0] = 'x';
    return 0;
}
