// A temporary in one branch of a condition is destroyed at the end of the whole expression.
// property: memory   truth: unsafe   args: -std=c++17
// explore: unsafe   impact: unknown (undefined)
struct S {
    int v = 3;
    ~S() {}
    const S *self() const { return this; }
};

int main(int count, char **) {
    const S *p = count > 1 ? S().self() : nullptr;
    return p ? p->v : 0;
}
