// Of equal elements any may come first.
// property: unreach   truth: unsafe
// explore: unsafe   priori: unsafe
#include <assert.h>
#include <stdlib.h>

struct pair {
    int key, value;
};

int compare(const void *left, const void *right) {
    return ((const struct pair *)left)->key - ((const struct pair *)right)->key;
}

int main(void) {
    struct pair pairs[2] = {{1, 1}, {1, 2}};
    qsort(pairs, 2, sizeof *pairs, compare);
    assert(pairs[0].value == 1);
    return 0;
}
