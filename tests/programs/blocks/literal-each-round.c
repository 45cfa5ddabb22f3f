// Each round of a loop has a literal of its own, with its value.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>

int main(void) {
    for (int i = 0; i < 2; i++) {
        int *own = &(int){i};
        *own += 1;
        assert(*own == i + 1);
    }
    return 0;
}
