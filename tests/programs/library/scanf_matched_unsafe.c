// A number may be read without looking at the end.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <stdio.h>

int main(void) {
    int value;
    if (scanf("%d", &value) == 1)
        assert(feof(stdin) || ferror(stdin));
    return 0;
}
