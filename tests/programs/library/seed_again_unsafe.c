// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// Another seed may have another sequence, and rand and random are two generators.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    srand(7);
    srandom(7);
    int first = rand();
    srand(8);
    (void)rand();
    srand(7);
    assert(rand() == first);
    assert(random() == first);
    return 0;
}
