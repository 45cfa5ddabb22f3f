// More than memory can hold cannot be read: the number of bytes overflows, and nothing says what comes of it.
// property: unreach   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

char buffer[8];

int main(void) {
    assert(fread(buffer, SIZE_MAX / 2 + 1, 2, stdin) <= 2);
    return 0;
}
