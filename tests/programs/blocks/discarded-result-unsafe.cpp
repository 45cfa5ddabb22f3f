// A discarded object is destroyed at the end of its expression.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
struct S {
    int v = 1;
    ~S() {}
};

static int *kept;

struct H {
    S s;
    H() : s() { kept = &s.v; }
};

int main() {
    H(), 0;
    return *kept;
}
