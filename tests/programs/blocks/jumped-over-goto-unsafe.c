// A scalar whose declaration is jumped over by a goto does not keep the value of the round before.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>

int main(void) {
    for (int i = 0; i < 2; i++) {
        if (i == 1) goto in;
        {
            int x;
            x = 5;
            if (0) {
            in:
                assert(x == 5);
            }
        }
    }
    return 0;
}
