// Each round of a loop has a new array, whose contents are indeterminate.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>

int main(void) {
    for (int i = 0; i < 2; i++) {
        int a[3];
        if (i == 0)
            a[1] = 5;
        else
            assert(a[1] == 5);
    }
    return 0;
}
