// setvbuf fails where the request cannot be honoured.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <stdio.h>

int main(void) {
    assert(setvbuf(stdout, NULL, _IOLBF, 0) == 0);
    return 0;
}
