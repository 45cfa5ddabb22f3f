// A variable that is written through a pointer, beside one that is const and one that is never used.
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
static int sum(const int *one, int **to, int *other) {
    *to = other;
    return *one + **to;
}

int main(void) {
    int unused;
    int numbers[2] = {1, 2};
    const int limit = 3;
    int *last = &numbers[0];
    (void)unused;
    return sum(&limit, &last, &numbers[1]) == 5 ? 0 : 1;
}
