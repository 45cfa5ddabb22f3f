// An array that holds nothing but zeros is cleared.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// tar: safe
#include <assert.h>
#include <string.h>

int cells[4];

int main(void) {
    memset(cells, 0, sizeof cells);
    assert(cells[1] == 0);
    return 0;
}
