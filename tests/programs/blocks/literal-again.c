// C11 6.5.2.5p16: evaluated again in the same block, a compound literal is the same object.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>

struct s {
    int i;
};

int main(void) {
    struct s *p = 0, *q;
    int j = 0;
again:
    q = p, p = &((struct s){j++});
    if (j < 2)
        goto again;
    assert(p == q && q->i == 1);
    return 0;
}
