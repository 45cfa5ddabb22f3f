// Before there is output a stream is good, and so it is when it has been cleared.
// property: unreach   truth: safe   args: -std=c++17
// explore: safe   impact: safe   priori: safe   staged: safe
#include <cassert>
#include <iostream>

int main() {
    assert(std::cout.good());
    std::cout << 1;
    std::cout.clear();
    assert(std::cout);
}
