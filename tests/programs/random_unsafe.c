// Random numbers are arbitrary, within their range.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <stdlib.h>
#include <time.h>

int main(void) {
    srand(time(0));
    assert(rand() != 1);
    return 0;
}
