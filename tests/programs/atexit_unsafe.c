// The function registered last runs first.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <stdlib.h>

int calls;

void first(void) { assert(calls == 0); }

void second(void) { calls++; }

int main(void) {
    atexit(first);
    atexit(second);
    return 0;
}
