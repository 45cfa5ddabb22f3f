// A temporary in one branch of a condition is used in the same expression, once in each round.
// property: memory   truth: safe
// explore: unknown (inputs)   impact: safe
struct S {
    int v = 3;
    ~S() { v = 0; }
    int get() const { return v; }
};

int main(int count, char **) {
    int sum = 0;
    for (int i = 0; i < 2; i++) sum += count > 1 ? S().get() + S().get() : i && S().get() == 3;
    return sum;
}
