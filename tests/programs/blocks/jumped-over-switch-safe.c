// A variable that is declared before the first case is set in each execution of the block that reads it.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>

int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        switch (i) {
            int x;
        case 0: x = 5; sum += x; break;
        case 1: x = 7; /* fall through */
        default: x = i; sum += x;
        }
    assert(sum == 8);
    return 0;
}
