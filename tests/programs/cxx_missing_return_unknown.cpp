// Flowing off the end of a function that has to return a value is undefined (C++17 [stmt.return]p2); g++ lets it go on.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <cassert>

int k = 1;

int f() {
    if (k == 2) return 1;
}

int main() {
    f();
    assert(k == 0);
}
