// The same; it is not 0.
// property: unreach    truth: safe
// explore: unknown (inputs)   impact: safe   priori: safe   staged: safe
#include <assert.h>

int main(int argc, char **argv) {
    assert(argc > 0);
    return 0;
}
