// Where the input has ended nothing is stored, or a number is read or the stream has failed.
// property: unreach   truth: safe
// explore: unknown (inputs)   impact: unknown (time)   priori: safe   staged: safe
#include <cassert>
#include <iostream>

int main() {
    int number = 7;
    std::cin >> number;
    assert(std::cin.good() || std::cin.eof() || std::cin.fail());
    return 0;
}
