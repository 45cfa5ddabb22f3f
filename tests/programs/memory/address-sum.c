// A number added to an address leads to where the sum is, whichever comes first.
// property: unreach   truth: safe
// explore: safe   priori: safe   staged: safe
#include <assert.h>
#include <stdint.h>

int a[8] = {0, 1, 2, 3, 4, 5, 6, 7};
volatile uintptr_t distance = 8;

int main(void) {
    int *p = (int *)(distance + (uintptr_t)&a[2]);
    assert(*p == 4);
    p = (int *)((uintptr_t)&a[2] + distance);
    assert(*p == 4);
    return 0;
}
