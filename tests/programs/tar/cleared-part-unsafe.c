// Some bytes of a number are cleared.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <assert.h>
#include <string.h>

int x = -1;

int main(void) {
    memset(&x, 0, 1);
    assert(x == 0 || x == -1);
    return 0;
}
