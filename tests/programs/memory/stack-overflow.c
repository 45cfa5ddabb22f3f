// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// One element too far, on the stack.
#include <stdlib.h>

int *keep;

int main(void)
{
    int a[3];
    for (int i = 0; i <= 3; i++)
        a[i] = i;
    keep = a;
    return 0;
}
