// An argument of another type than the conversion's is undefined (C11 7.21.6.1p9).
// property: unreach   truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <stdio.h>

int k;

int main(void) {
    printf("%d\n", 1.5);
    assert(k == 0);
}
