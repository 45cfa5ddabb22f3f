// property: unreach   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (imprecise)   staged: safe
// C11 7.22.2.2: the sequence of a seed is repeated when the seed is set again; a generator without a seed has that of 1.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int unseeded = rand();
    srand(7);
    int first = rand(), second = rand();
    srand(8);
    (void)rand();
    srand(7);
    assert(rand() == first && rand() == second);
    srand(1);
    assert(rand() == unseeded);
    srandom(3);
    long other = random();
    srandom(3);
    assert(random() == other);
    return 0;
}
