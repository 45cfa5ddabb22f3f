// The end of a cleared range is in the middle of a number.
// property: unreach   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <assert.h>
#include <string.h>

int cells[4] = {-1, -1, -1, -1};

int main(void) {
    for (int i = 0; i < 3; i++) memset((char *)cells + 4 * i + 2, 0, 4);
    assert(cells[0] == 0 || cells[0] == -1);
    return 0;
}
