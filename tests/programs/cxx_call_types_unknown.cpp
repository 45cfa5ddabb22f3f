// A call through a pointer of another type than that of the function is undefined; virtual calls and calls of lambdas are not.
// property: unreach   truth: unsafe   args: -DWRONG
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <cassert>

struct Shape {
    virtual ~Shape() = default;
    virtual int area(int) { return 1; }
    virtual void grow() {}
};

struct Square : Shape {
    int area(int) override { return 4; }
};

static int twice(int number) { return 2 * number; }
static int sum(int one, int other) { return one + other; }

int main() {
#ifdef WRONG
    auto wrong = reinterpret_cast<int (*)(int)>(sum);
    assert(wrong(1) == 1);
#endif
    int (*functions[2])(int) = {twice, [](int number) { return number; }};
    assert(functions[0](1) + functions[1](2) == 4);
    Square square;
    Shape &shape = square;
    shape.grow();
    assert(shape.area(0) == 4);
    return 0;
}
