// The address of a discarded object without a destructor is kept: when the object ceases to live is not known.
// property: memory   truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   staged: unknown (unmodelled)
static int *kept;

struct H {
    int v = 1;
    H() { kept = &v; }
};

int main() {
    H();
    return *kept;
}
