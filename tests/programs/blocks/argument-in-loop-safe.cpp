// An argument that is passed in memory is another object in each round.
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
struct S {
    int v;
    explicit S(int v) : v(v) {}
    ~S() { v = -1; }
};

static int twice(S s) { return 2 * s.v; }

int main() {
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += twice(S(i));
    return sum == 6 ? 0 : *(int *)0;
}
