// A case that falls through enters the block of the next one, and so makes its literal.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>

struct pair { int first, second; };

static int sum(const struct pair *pair) { return pair->first + pair->second; }

static int from(int start) {
    int total = 0;
    switch (start) {
    case 1:
        total = 1; /* falls through */
    case 2: {
        total += sum(&(struct pair){ .second = 2, .first = 1 });
    }
    }
    return total;
}

int main(void) {
    assert(from(1) == 4);
    assert(from(2) == 3);
    return 0;
}
