// Functions to call at exit run in reverse order when main returns.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach    truth: safe   data-model: ilp32
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <stdlib.h>

int calls;

void first(void) { assert(calls == 1); }

void second(void) { calls++; }

int main(void) {
    atexit(first);
    atexit(second);
    return 0;
}
