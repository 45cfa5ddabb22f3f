// What atoi gives for a number that does not fit is undefined (C11 7.22.1p1).
// property: unreach   truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (undefined)   staged: unknown (unmodelled)
#include <assert.h>
#include <stdlib.h>

int main(void) { assert(atoi("99999999999") != 5); }
