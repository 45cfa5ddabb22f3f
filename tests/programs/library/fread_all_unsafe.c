// fread may read everything that it is asked for.
// property: unreach   truth: unsafe
// explore: unsafe   priori: unsafe
#include <assert.h>
#include <stdio.h>

char buffer[4];

int main(void) {
    size_t count = fread(buffer, 2, 2, stdin);
    assert(count != 2);
    return 0;
}
