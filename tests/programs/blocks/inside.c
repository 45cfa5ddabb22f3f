// The same inside the block is fine, from a nested block, a loop and a called function too.
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>

int *p;

static void set(int value) { *p = value; }

int main(void) {
    {
        int x = 0;
        p = &x;
        for (int i = 0; i < 2; i++) {
            set(i + 1);
        }
        {
            *p += 1;
        }
        assert(x == 3);
    }
    return 0;
}
