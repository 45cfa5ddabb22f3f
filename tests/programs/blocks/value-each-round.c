// Each round of a loop has a variable of its own, whose value is not that of the round before; the way back is long.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
int calls;
int main(void) {
    for (int n = 0; n < 2; n++) {
        int x;
        if (n == 0)
            x = 7;
        if (calls > 1)
            calls--;
        if (calls > 2)
            calls--;
        if (n == 1)
            assert(x == 7);
    }
    return 0;
}
