// An argument that is passed in memory is destroyed with the expression of the call.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
struct S {
    int v;
    ~S() {}
};

static int *kept;

static void keep(S s) { kept = &s.v; }

int main() {
    keep(S{1});
    return *kept;
}
