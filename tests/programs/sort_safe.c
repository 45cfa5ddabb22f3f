// qsort and bsearch with a function of the program.
// property: unreach    truth: safe
// explore: safe   priori: safe   staged: safe
// property: memory     truth: safe
// explore: safe   staged: safe
#include <assert.h>
#include <stdlib.h>

static int compare(const void *left, const void *right) { return *(const int *)left - *(const int *)right; }

int main(void) {
    int numbers[5] = {4, 1, 3, 1, 2}, wanted = 3;
    qsort(numbers, 5, sizeof numbers[0], compare);
    assert(numbers[0] == 1 && numbers[1] == 1 && numbers[2] == 2 && numbers[3] == 3 && numbers[4] == 4);
    assert(bsearch(&wanted, numbers, 5, sizeof numbers[0], compare) == &numbers[3]);
    wanted = 5;
    assert(bsearch(&wanted, numbers, 5, sizeof numbers[0], compare) == 0);
    return 0;
}
