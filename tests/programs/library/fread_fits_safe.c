// fread writes no more than it is asked to.
// property: memory   truth: safe
// explore: safe
// property: unreach   truth: safe
// explore: safe   priori: safe
#include <assert.h>
#include <stdio.h>

char buffer[5] = {0, 0, 0, 0, 7};

int main(void) {
    size_t count = fread(buffer, 2, 2, stdin);
    assert(count <= 2);
    assert(buffer[4] == 7);
    if (count == 0)
        assert(buffer[2] == 0 && buffer[3] == 0);
    return 0;
}
