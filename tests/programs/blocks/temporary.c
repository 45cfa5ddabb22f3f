// The array of a structure that a function returns is gone at the end of the expression (C11 6.2.4p8).
// property: memory     truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   staged: unknown (unmodelled)
struct s {
    int a[2];
};

static struct s make(void) { return (struct s){{1, 2}}; }

int main(void) {
    int *p = make().a;
    return *p;
}
