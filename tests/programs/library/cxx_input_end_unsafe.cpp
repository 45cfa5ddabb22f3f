// Where the input has ended nothing is stored, and a number may be read just before its end.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <cassert>
#include <iostream>

int main() {
    int number = 7;
    std::cin >> number;
    assert(!std::cin.eof() || number == 0 || std::cin.fail());
    return 0;
}
