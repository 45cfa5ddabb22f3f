// The functions of <ctype.h> are for characters and EOF (C11 7.4p1).
// property: unreach   truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <ctype.h>

int main(void) {
    volatile int value = 1000;
    assert(toupper(value) == 1000);
}
