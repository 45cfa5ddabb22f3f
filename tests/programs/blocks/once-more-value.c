// A jump back to before a declaration makes the value indeterminate, although the object is the same.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>

int *p;

int main(void) {
    int n = 0;
    {
    again:;
        int x;
        p = &x;
        if (n == 1)
            assert(*p == 5);
        *p = 5;
        if (n++ == 0)
            goto again;
    }
    return 0;
}
