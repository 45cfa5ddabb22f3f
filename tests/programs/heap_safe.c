// calloc, realloc, posix_memalign, aligned_alloc and free.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach    truth: safe   data-model: ilp32
// explore: safe   impact: safe   priori: safe   staged: safe
// property: memory     truth: safe   data-model: ilp32
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *zeroes = calloc(3, sizeof(int));
    assert(zeroes[0] == 0 && zeroes[2] == 0);
    zeroes[2] = 7;
    zeroes = realloc(zeroes, 6 * sizeof(int));
    assert(zeroes[1] == 0 && zeroes[2] == 7);
    zeroes[5] = 8;
    zeroes = realloc(zeroes, 2 * sizeof(int));
    assert(zeroes[0] == 0);
    free(zeroes);
    int *grown = realloc(0, 8);
    grown[1] = 1;
    free(realloc(grown, 0));
    void *aligned;
    assert(posix_memalign(&aligned, 64, 100) == 0);
    ((char *)aligned)[99] = 1;
    free(aligned);
    aligned = aligned_alloc(32, 64);
    ((char *)aligned)[63] = 1;
    free(aligned);
    free(0);
    return 0;
}
