// property: unreach   truth: safe
// explore: unknown (inputs)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
// More numbers than are kept, of a seed that is set twice.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int last[2];
    for (int round = 0; round < 2; round++) {
        srand(5);
        for (int i = 0; i < 9; i++) last[round] = rand() & 1;
    }
    assert(last[0] == last[1]);
    return 0;
}
