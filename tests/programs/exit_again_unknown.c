// Calling exit from a function that exit calls is undefined (C11 7.22.4.4p2); glibc goes on with the next function.
// property: unreach    truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (bound)   staged: unknown (unmodelled)
#include <assert.h>
#include <stdlib.h>

int n;

void last(void) { assert(n == 1); }

void first(void) {
    n++;
    exit(1);
}

int main(void) {
    atexit(last);
    atexit(first);
}
