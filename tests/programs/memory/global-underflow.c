// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// One element before the array.
#include <stdlib.h>

int a[3];

int main(void)
{
    int i = 0;
    a[i - 1] = 1;
    return 0;
}
