// Output through std::cout that fails sets the indicator of stdout.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <cassert>
#include <cstdio>
#include <iostream>

int main() {
    std::cout << 1 << std::flush;
    assert(!std::ferror(stdout));
}
