// A variable on the stack that is const is written through a parameter.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
static void set(int *to) { *to = 2; }

int main(void) {
    const int limit = 1;
    set((int *)&limit);
    return limit;
}
