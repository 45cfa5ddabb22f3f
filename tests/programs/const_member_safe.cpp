// A reference to const is bound to a member of a temporary, which is not const for that; and temporaries are arguments that are only read.
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
#include <algorithm>

struct pair {
    int first, second;
    pair(int first, int second) : first(first), second(second) {}
};

struct plain {
    int first, second;
};

static int raise(const int &by, int &&from) {
    from += by;
    return from;
}

int main() {
    const int &member = pair(1, 2).second;
    const_cast<int &>(member) = 3;
    const int &other = plain{1, 2}.second;
    const_cast<int &>(other) = 4;
    int one = 1;
    return member + other + raise(one, 2) + raise(5, 1) + std::max(one, 2) == 18 ? 0 : 1;
}
