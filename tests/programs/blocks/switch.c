// The variables of a switch's block, which control always jumps into.
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>

static int twice(int *p) { return *p += *p; }

int main(void) {
    int total = 0;
    for (int i = 0; i < 3; i++) {
        switch (i) {
        case 0:;
            int a = 1;
            total += twice(&a);
            break;
        case 1:
            a = 2;
            total += twice(&a);
        default:
            total += 1;
        }
    }
    assert(total == 8);
    return 0;
}
