// A variable-length array in a block that control comes to without a branch.
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>

static int last(const int *a, int n) { return a[n - 1]; }

int main(void) {
    int n = 3, result;
    {
        int a[n];
        for (int i = 0; i < n; i++)
            a[i] = i;
        result = last(a, n);
    }
    assert(result == 2);
    return 0;
}
