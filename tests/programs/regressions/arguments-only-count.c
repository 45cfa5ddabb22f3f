// The number of arguments is an input, though at least 1, also where the arguments themselves are not looked at.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>

int main(int argc, char **argv) {
    assert(argc != 3);
    return 0;
}
