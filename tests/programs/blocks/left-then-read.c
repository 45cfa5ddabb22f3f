// A variable is read through a pointer after its block was left; natively another variable has its place.
// property: unreach    truth: unsafe
// explore: unknown (undefined)   impact: unknown (undefined)   priori: unknown (undefined)   staged: unknown (undefined)
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <assert.h>

int *p;

int main(void) {
    {
        int x = 1;
        p = &x;
    }
    {
        int y = 2;
        int *q = &y;
        *q = 3;
    }
    assert(*p == 1);
    return 0;
}
