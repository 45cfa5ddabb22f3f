// A variable on the stack that is const is written (C11 6.7.3p6).
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
int main(void) {
    const int limit = 1;
    *(int *)&limit = 2;
    return limit;
}
