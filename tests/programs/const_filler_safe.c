// The rest of an array that is const is filled by a loop of the compiler.
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
static int last(int k) {
    const int numbers[4] = {k, k};
    return numbers[3];
}

int main(void) { return last(1); }
