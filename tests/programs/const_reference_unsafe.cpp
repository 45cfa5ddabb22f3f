// A temporary that a reference to const extends is written.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
int main() {
    const int &limit = 1;
    const_cast<int &>(limit) = 2;
    return limit;
}
