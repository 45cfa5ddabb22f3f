// Output may fail: what is written may have no room on the disk.
// property: unreach   truth: unsafe   args: -std=c++17
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <cassert>
#include <iostream>

int main() {
    std::cout << 1 << std::flush;
    assert(std::cout.good());
}
