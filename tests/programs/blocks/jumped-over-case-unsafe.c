// A scalar whose declaration is jumped over by a case does not keep the value of the round before.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>

int main(void) {
    for (int i = 0; i < 2; i++)
        switch (i) {
        case 0:;
            int x;
            x = 5;
            break;
        case 1: assert(x == 5);
        }
    return 0;
}
