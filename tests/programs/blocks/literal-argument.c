// A compound literal as an argument, in a loop and in a condition.
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>

struct pair {
    int a, b;
};

static int sum(const struct pair *p) { return p->a + p->b; }

int main(void) {
    int total = 0;
    for (int i = 0; i < 3; i++)
        total += sum(&(struct pair){i, 1});
    if (sum(&(struct pair){total, 1}) == 7)
        total++;
    assert(total == 7);
    return 0;
}
