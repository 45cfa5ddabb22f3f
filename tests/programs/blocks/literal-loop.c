// A loop's body without braces is a block as well.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <stdlib.h>

int *kept[2];

static void keep(int i, int *p) { kept[i] = p; }

int main(void) {
    for (int i = 0; i < 2; i++)
        keep(i, &(int){i});
    *kept[0] = 3;
    return 0;
}
