// Functions to call at exit run when exit is called.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <stdlib.h>

int calls;

void first(void) { assert(calls == 1); }

void second(void) { calls++; }

int main(void) {
    atexit(first);
    atexit(second);
    exit(0);
}
