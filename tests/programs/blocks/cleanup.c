// The function of a `cleanup` attribute gets its variable while it still lives.
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>

int closed;

static void finish(int *p) {
    closed += *p;
    *p = 0;
}

int main(void) {
    for (int i = 0; i < 3; i++) {
        __attribute__((cleanup(finish))) int handle = i;
        int *p = &handle;
        if (i == 1)
            continue;
        *p += 1;
    }
    assert(closed == 5);
    return 0;
}
