// Output that writes into memory is not modelled.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <stdio.h>

int main(void) {
    int count = 0;
    printf("ab%n", &count);
    assert(count == 0);
    return 0;
}
