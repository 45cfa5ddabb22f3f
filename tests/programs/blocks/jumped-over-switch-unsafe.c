// A variable that is declared before the first case is a new one in each execution of the block.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>

int main(void) {
    for (int i = 0; i < 2; i++)
        switch (i) {
            int x;
        case 0: x = 5; break;
        case 1: assert(x == 5);
        }
    return 0;
}
