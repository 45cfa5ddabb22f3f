// That a character was read does not say that the next one will be; and output that fails leaves its trace.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <stdio.h>

int main(void) {
    if (getchar() == EOF) return 0;
    assert(!feof(stdin));
    getchar();
    printf("x");
    if (feof(stdin)) assert(!ferror(stdout));
}
