// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
//
// Freeing null does nothing.
#include <stdlib.h>

int main(void)
{
    free(0);
    return 0;
}
