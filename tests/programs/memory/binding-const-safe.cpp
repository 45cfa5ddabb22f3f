// A structured binding that is const is initialised by the result of a function, in one piece.
// property: memory   truth: safe   args: -std=c++17
// explore: safe   impact: safe   staged: safe
struct Q {
    int a, b;
};

static Q make() { return Q{1, 2}; }

int main() {
    const auto [x, y] = make();
    return x + y == 3 ? 0 : *(int *)0;
}
