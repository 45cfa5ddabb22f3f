// Equal elements are all there.
// property: unreach   truth: safe
// explore: safe   priori: safe
#include <assert.h>
#include <stdlib.h>

struct pair {
    int key, value;
};

int compare(const void *left, const void *right) {
    return ((const struct pair *)left)->key - ((const struct pair *)right)->key;
}

int main(void) {
    struct pair pairs[3] = {{2, 4}, {1, 1}, {1, 2}};
    qsort(pairs, 3, sizeof *pairs, compare);
    assert(pairs[0].key == 1 && pairs[0].value + pairs[1].value == 3 && pairs[2].value == 4);
    return 0;
}
