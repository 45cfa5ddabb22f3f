// A format that is not a literal may have its output written into memory.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <stdio.h>

const char *format = "ab%n";

int main(void) {
    int count = 0;
    printf(format, &count);
    assert(count == 0);
    return 0;
}
