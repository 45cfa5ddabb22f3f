// A temporary that is an argument for a reference to const is written.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
static int next(const int &limit) {
    const_cast<int &>(limit)++;
    return limit;
}

int main() { return next(1); }
