// The number of a stream that was closed another one may have.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <stdio.h>

int main(void) {
    FILE *one = fopen("one", "r");
    if (!one) return 0;
    int number = fileno(one);
    fclose(one);
    FILE *two = fopen("two", "r");
    if (two) assert(number != fileno(two));
}
