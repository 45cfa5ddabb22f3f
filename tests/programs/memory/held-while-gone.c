// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A variable of the function that runs is all that refers to memory that is freed, when other memory is made.
#include <stdlib.h>

void touch(char *place)
{
    *place = 1;
}

int *gone(void)
{
    int *place = malloc(4);
    free(place);
    return place;
}

int main(void)
{
    int *old = gone();
    char *other = __builtin_alloca(4);
    *old = 1;
    touch(other);
    return 0;
}
