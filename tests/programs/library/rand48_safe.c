// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   truth: safe   data-model: ilp32
// explore: safe   impact: safe   priori: safe   staged: safe
// POSIX says what the numbers are.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    srand48(-5);
    assert(drand48() == 0.81681649277834723);
    assert(mrand48() == 974741364);
    assert(lrand48() == 867892294);
    unsigned short own[3] = {1, 2, 3};
    assert(erand48(own) == 0.44199632268870914);
    assert(jrand48(own) == 1130126687);
    assert(nrand48(own) == 1404751201);
    srand48(-5);
    assert(drand48() == 0.81681649277834723);
    return 0;
}
