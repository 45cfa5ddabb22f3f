// _Exit calls none of them.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <stdlib.h>

int calls;

void first(void) { assert(calls == 2); }

void second(void) { calls++; }

int main(void) {
    atexit(first);
    atexit(second);
    _Exit(0);
}
